public import KeyturnBase
public import KeyturnWire

/// What a service handed out to one application for one subject.
public struct ServiceTokens: Hashable, Sendable {
    /// The access token. Secret.
    public let accessToken: String
    /// What it is renewed with; `nil`: with the credential itself. Secret.
    public let refreshToken: String?
    /// When the access token arrived, by this machine's clock.
    public let obtainedAt: UnixTime
    /// When it runs out, by the same clock; `nil`: the service did not say.
    public let expiresAt: UnixTime?
    /// What was granted; `nil`: what was asked for.
    public let scope: Scope?
    /// The objects that it is restricted to; empty: it is not.
    public let restrictedTo: [RestrictedObject]
    /// What kind of token was issued, in the answer to an exchange (RFC 8693 §2.2.1).
    public let issuedTokenType: TokenTypeIdentifier?

    /// Tokens from elsewhere.
    ///
    /// - Parameters:
    ///   - accessToken: The access token.
    ///   - refreshToken: What it is renewed with.
    ///   - obtainedAt: When it arrived, by this machine's clock.
    ///   - expiresInSeconds: How long it was good for then; `nil`: unknown.
    public init(accessToken: String, refreshToken: String?, obtainedAt: UnixTime, expiresInSeconds: Int64?) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.obtainedAt = obtainedAt
        expiresAt = expiresInSeconds.map { obtainedAt + max(0, min($0, Limits.tokenLifetimeMaxSeconds)) }
        scope = nil
        restrictedTo = []
        issuedTokenType = nil
    }

    init(
        accessToken: String, refreshToken: String?, obtainedAt: UnixTime, expiresAt: UnixTime?, scope: Scope?,
        restrictedTo: [RestrictedObject], issuedTokenType: TokenTypeIdentifier?
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.obtainedAt = obtainedAt
        self.expiresAt = expiresAt
        self.scope = scope
        self.restrictedTo = restrictedTo
        self.issuedTokenType = issuedTokenType
    }

    /// The access token's lifetime when it arrived, in seconds.
    var lifetimeSeconds: Int64? {
        expiresAt.map { min(max(0, $0.seconds(since: obtainedAt)), Limits.tokenLifetimeMaxSeconds) }
    }
}

extension ServiceTokens {
    /// The version of the form below. Readers refuse later ones.
    private static let version: Int64 = 1

    /// The form for a store: JSON. Secret.
    public var serialized: [UInt8] {
        JSONWriter.object(capacity: 1_024) { writer in
            writer.member("version", Self.version)
            writer.member("access_token", accessToken)
            writer.member("refresh_token", refreshToken)
            writer.member("obtained_at", obtainedAt.rawValue)
            writer.member("expires_at", expiresAt?.rawValue)
            writer.member("scope", scope?.text)
            writer.member("restricted_to", .array(restrictedTo.map(\.json)))
            writer.member("issued_token_type", issuedTokenType?.rawValue)
        }
    }

    /// Reads what ``serialized`` wrote; `nil` for anything else.
    public init?(serialized bytes: [UInt8]) {
        let limits = JSONValue.Limits(bytesMax: Limits.recordMaxBytes)
        guard let json = try? JSONValue(parsing: bytes, limits: limits),
            json["version"]?.integerValue == Self.version, let accessToken = json["access_token"]?.stringValue,
            let obtainedAt = json["obtained_at"]?.integerValue
        else { return nil }
        self.accessToken = accessToken
        refreshToken = json["refresh_token"]?.stringValue
        self.obtainedAt = UnixTime(rawValue: obtainedAt)
        expiresAt = json["expires_at"]?.integerValue.map { UnixTime(rawValue: $0) }
        scope = json["scope"]?.stringValue.flatMap { Scope($0) }
        restrictedTo = (json["restricted_to"]?.arrayValue ?? []).compactMap { RestrictedObject(json: $0) }
        issuedTokenType = json["issued_token_type"]?.stringValue.map { TokenTypeIdentifier(rawValue: $0) }
    }
}

extension ServiceTokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names what it holds without showing any of it.
    public var description: String { "ServiceTokens(\(refreshToken == nil ? "access" : "access, refresh"))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
