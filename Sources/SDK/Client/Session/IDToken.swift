public import KeyturnBase
internal import KeyturnVerify

/// A verified ID token: who signed in, when and how (OpenID Connect Core §2).
///
/// Made only from a token whose signature, issuer, audience, times and nonce were checked, or from one that this
/// library had checked before it sealed it into its store.
public struct IDToken: Hashable, Sendable {
    /// The token as it was issued; what a server asks for as `id_token_hint`, and what a backend verifies again.
    public let compact: String
    /// Every claim, known or not.
    public let claims: [String: JSONValue]
    /// The person at this issuer (`sub`).
    public let subject: String
    /// Who issued it (`iss`).
    public let issuer: String
    /// When it was issued (`iat`), by the issuer's clock.
    public let issuedAt: UnixTime
    /// When this statement must no longer be accepted. The session outlives it.
    public let expiresAt: UnixTime
    /// When the person last proved who they are, if the issuer says (`auth_time`).
    public let authTime: UnixTime?
    /// How strong the proof was (`acr`).
    public let acr: String?
    /// By which methods (`amr`).
    public let amr: [String]
    /// The issuer's own name for the session (`sid`).
    public let sessionID: String?

    init(compact: String, verified: VerifiedIDToken) {
        self.compact = compact
        claims = verified.claims
        subject = verified.subject
        issuer = verified.issuer
        issuedAt = verified.issuedAt
        expiresAt = verified.expiresAt
        authTime = verified.authTime
        acr = verified.acr
        amr = verified.amr
        sessionID = verified.sessionID
    }

    /// Reads a token that was verified before it was stored. `nil` if it is not one.
    init?(stored compact: String) {
        guard let claims = Self.claims(of: compact),
            let subject = claims["sub"]?.stringValue, let issuer = claims["iss"]?.stringValue,
            let issuedAt = Self.time(claims["iat"]), let expiresAt = Self.time(claims["exp"])
        else { return nil }
        self.compact = compact
        self.claims = claims
        self.subject = subject
        self.issuer = issuer
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        authTime = Self.time(claims["auth_time"])
        acr = claims["acr"]?.stringValue
        amr = claims["amr"]?.stringArrayValue ?? []
        sessionID = claims["sid"]?.stringValue
    }
}

extension IDToken {
    /// Whom a token names, unverified; `nil` if it cannot be read.
    static func subject(of compact: String) -> String? { claims(of: compact)?["sub"]?.stringValue }

    /// Whether another token, unverified, names another tenant: what it does not name does not count.
    func isOfAnotherTenant(than compact: String) -> Bool {
        let other = Self.claims(of: compact) ?? [:]
        return ["iss", "tid"].contains { name in
            guard let named = other[name]?.stringValue else { return false }
            return named != claims[name]?.stringValue
        }
    }

    private static func claims(of compact: String) -> [String: JSONValue]? {
        let parts = compact.split(separator: ".", omittingEmptySubsequences: false)
        // As large as a stored session may be, with the groups of a user who has many.
        let limits = JSONValue.Limits(bytesMax: Limits.recordMaxBytes, membersMax: 65_536)
        guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
        return (try? JSONValue(parsing: payload, limits: limits))?.objectValue
    }

    /// A time as JWTs write it, with a fraction or without (RFC 7519 §2).
    private static func time(_ json: JSONValue?) -> UnixTime? {
        switch json {
        case .integer(let seconds): UnixTime(rawValue: seconds)
        case .number(let seconds): Int64(exactly: seconds.rounded(.down)).map { UnixTime(rawValue: $0) }
        default: nil
        }
    }
}

extension IDToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the person and nothing of the token.
    public var description: String { "IDToken" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
