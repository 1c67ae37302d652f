/// How a user was authenticated, in the words of both wires.
public enum AuthenticationMethod: String, Hashable, Sendable, CaseIterable {
    /// A code or a link by email.
    case email
    case sms, whatsapp, voice
    /// A code of an authenticator app (RFC 6238).
    case totp
    case password
    case passkey
    /// A social provider.
    case social
    /// A tenant's own identity provider.
    case federated
    /// A recovery code, from the list that the user kept.
    case recoveryCode

    /// The kind of factor. Two methods of one factor count as one.
    public enum Factor: Hashable, Sendable {
        case knowledge, mailbox, telephone, authenticator, passkey, elsewhere
    }

    /// The word in the `amr` claim of the methods' tokens.
    public var word: String {
        switch self {
        case .password: "pwd"
        case .passkey: "webauthn"
        case .social: "oauth"
        case .federated: "fed"
        case .recoveryCode: "recovery"
        default: rawValue
        }
    }

    /// Reads ``word``.
    public init?(word: String) {
        guard let method = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = method
    }

    /// The word in the `amr` claim of OpenID Connect's tokens (RFC 8176 §2).
    public var reference: String {
        switch self {
        case .password: "pwd"
        case .sms: "sms"
        case .voice: "tel"
        case .passkey: "hwk"
        case .email, .whatsapp, .totp, .recoveryCode: "otp"
        case .social, .federated: "fed"
        }
    }

    public var factor: Factor {
        switch self {
        case .password: .knowledge
        case .email: .mailbox
        case .sms, .whatsapp, .voice: .telephone
        case .totp, .recoveryCode: .authenticator
        case .passkey: .passkey
        case .social, .federated: .elsewhere
        }
    }

    /// Says, beside the methods, that they were of two factors: RFC 8176's word and the methods' own.
    public static let severalFactors = "mfa"
}
