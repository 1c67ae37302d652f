/// How a user was authenticated, in the words of both wires.
///
/// To add one: a case, and its row in ``facts``. `amr`, `acr` and the counting of factors follow from the row.
public enum AuthenticationMethod: String, Codable, Hashable, Sendable, CaseIterable {
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
    /// A password that a directory checked, typed at a page or call of this server: a provider's word all the same.
    case directoryPassword
    /// A recovery code, from the list that the user kept.
    case recoveryCode
    /// Another device of the user, signed in already, where the user typed the number of this one.
    case approval
    /// The session is on another device, whose code the user typed, or whose request the user allowed, on this one.
    case otherDevice

    /// The kind of factor. Two methods of one factor count as one. `otherDevice` counts only beside a strong one.
    public enum Factor: Hashable, Sendable {
        case knowledge, mailbox, telephone, authenticator, passkey, elsewhere, otherDevice

        /// Whether it is independent of password, mailbox and telephone.
        public var isStrong: Bool { self == .authenticator || self == .passkey }
    }

    /// What a method means for tokens.
    private struct Facts {
        let word: String
        let reference: String
        let factor: Factor
    }

    private var facts: Facts {
        switch self {
        case .email: Facts(word: "email", reference: "otp", factor: .mailbox)
        case .sms: Facts(word: "sms", reference: "sms", factor: .telephone)
        case .whatsapp: Facts(word: "whatsapp", reference: "otp", factor: .telephone)
        case .voice: Facts(word: "voice", reference: "tel", factor: .telephone)
        case .totp: Facts(word: "totp", reference: "otp", factor: .authenticator)
        case .password: Facts(word: "pwd", reference: "pwd", factor: .knowledge)
        case .passkey: Facts(word: "webauthn", reference: "hwk", factor: .passkey)
        case .social: Facts(word: "oauth", reference: "fed", factor: .elsewhere)
        case .federated: Facts(word: "fed", reference: "fed", factor: .elsewhere)
        case .directoryPassword: Facts(word: "ldap", reference: "pwd", factor: .elsewhere)
        case .recoveryCode: Facts(word: "recovery", reference: "otp", factor: .authenticator)
        // RFC 8176 has no word for it: of its words, the one for several communication channels is the closest. No key
        // is proved, so that neither swk nor hwk would be true.
        case .approval: Facts(word: "approval", reference: "mca", factor: .otherDevice)
        case .otherDevice: Facts(word: "device", reference: "mca", factor: .otherDevice)
        }
    }

    /// The word in sessions, grants and the audit log.
    public var word: String { facts.word }

    /// The word in the `amr` claim of the methods' tokens: apps see a password wherever it was checked.
    public var claimWord: String { self == .directoryPassword ? Self.password.word : word }

    /// The word in the `amr` claim of OpenID Connect's tokens (RFC 8176 §2).
    public var reference: String { facts.reference }

    public var factor: Factor { facts.factor }

    /// Reads ``word``.
    public init?(word: String) {
        guard let method = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = method
    }

    /// Reads ``word``, or else ``reference``: of several methods with one reference, the first.
    init?(wordOrReference text: String) {
        guard let method = Self(word: text) ?? Self.allCases.first(where: { $0.reference == text }) else {
            return nil
        }
        self = method
    }

    /// Says, beside the methods, that they were of two factors: RFC 8176's word and the methods' own.
    public static let severalFactors = "mfa"
}
