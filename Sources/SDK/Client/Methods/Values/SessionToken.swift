public import KeyturnBase

/// A session token, a refresh token or an access key's token, with what it says about itself.
///
/// It is not verified here: what it says is good for showing a person what they may do, and never for letting
/// them. A backend verifies it.
public struct SessionToken: Hashable, Sendable {
    /// The token as it was issued; what goes into a request.
    public let jwt: String
    /// The user or the access key (`sub`).
    public let entityId: String
    /// The project (the last part of `iss`).
    public let projectId: String
    /// When it was issued (`iat`), by the service's clock.
    public let issuedAt: UnixTime
    /// When it expires (`exp`), by the service's clock.
    public let expiresAt: UnixTime
    /// What else it says; without subject, issuer, times, tenants, permissions and roles.
    public let claims: [String: JSONValue]

    private let all: [String: JSONValue]

    /// Reads a token; `nil` if it is not a JWT, or lacks `sub`, `iss`, `iat` or `exp`.
    public init?(_ jwt: Secret) {
        let text = jwt.exposed()
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, text.utf8.count <= Limits.tokenMaxBytes,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), let payload = Base64URL.decode(parts[1]),
            let all = (try? JSONValue(parsing: payload))?.objectValue, let subject = all["sub"]?.stringValue,
            let issuer = all["iss"]?.stringValue, let issuedAt = Self.time(all["iat"]),
            let expiresAt = Self.time(all["exp"])
        else { return nil }
        self.jwt = text
        self.all = all
        entityId = subject
        projectId = issuer.split(separator: "/").last.map(String.init) ?? issuer
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        let known: Set<String> = ["sub", "iss", "iat", "exp", "tenants", "permissions", "roles"]
        claims = all.filter { !known.contains($0.key) }
    }

    /// Whether it has expired.
    ///
    /// - Parameter now: The moment to judge by.
    public func isExpired(at now: UnixTime) -> Bool {
        expiresAt <= now
    }

    /// What the token says its holder may do.
    ///
    /// - Parameter tenant: In which tenant; `nil`: without one. Empty if the token says nothing about it.
    public func permissions(tenant: String? = nil) -> [String] {
        names("permissions", tenant)
    }

    /// The roles that the token says its holder has.
    ///
    /// - Parameter tenant: In which tenant; `nil`: without one. Empty if the token says nothing about it.
    public func roles(tenant: String? = nil) -> [String] {
        names("roles", tenant)
    }

    /// The tenants that the token names.
    public var tenantIds: [String] {
        (all["tenants"]?.objectValue ?? [:]).keys.sorted()
    }

    /// The tenant that the session is for (`dct`).
    public var currentTenant: String? {
        all["dct"]?.stringValue
    }

    var secret: Secret { Secret(jwt) }

    private func names(_ claim: String, _ tenant: String?) -> [String] {
        guard let tenant else { return all[claim]?.stringArrayValue ?? [] }
        return all["tenants"]?[tenant]?[claim]?.stringArrayValue ?? []
    }

    /// NumericDate, with or without a fraction (RFC 7519 §2).
    private static func time(_ json: JSONValue?) -> UnixTime? {
        switch json {
        case .integer(let seconds): UnixTime(rawValue: seconds)
        case .number(let seconds): Int64(exactly: seconds.rounded(.down)).map { UnixTime(rawValue: $0) }
        default: nil
        }
    }
}

extension SessionToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Shows nothing of the token.
    public var description: String { "SessionToken" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
