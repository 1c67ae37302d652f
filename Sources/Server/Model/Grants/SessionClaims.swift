public import KeyturnBase
package import KeyturnWire

/// Claims of a session of the methods beside its user's own facts. Kept with the grant, so that they survive refreshes.
public struct SessionClaims: Hashable, Sendable {
    /// The client's own claims: the `nsec` claim. The server does not vouch for them.
    public var client: [String: JSONValue]
    /// Claims that management added: top level, as trustworthy as the operator.
    public var management: [String: JSONValue]
    /// Who acts in the user's name: the `act` claim (RFC 8693 §4.1); `nil`: the user.
    public var actor: String?

    public init(client: [String: JSONValue] = [:], management: [String: JSONValue] = [:], actor: String? = nil) {
        self.client = client
        self.management = management
        self.actor = actor
    }

    public static let none = SessionClaims()

    /// One that comes back from a store.
    public init(stored: [String: JSONValue]) {
        self.init(
            client: stored["client"]?.objectValue ?? [:], management: stored["management"]?.objectValue ?? [:],
            actor: stored["actor"]?.stringValue)
    }

    /// As a store keeps it.
    public var stored: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if !client.isEmpty { members["client"] = .object(client) }
        if !management.isEmpty { members["management"] = .object(management) }
        if let actor { members["actor"] = .string(actor) }
        return members
    }

    /// Claims of the token itself, which management cannot set.
    package static let reserved: Set<String> = [
        "iss", "sub", "dsub", "aud", "exp", "nbf", "iat", "jti", "drn", "amr", "su", "rexp", "rt", "permissions",
        "roles",
        "tenants", "dct", "nsec", "cnf", "act", "gid",
    ]

    /// - Throws: ``MethodProblem/invalidArguments`` if the claims are too large for a token.
    package static func requireSmall(_ claims: [String: JSONValue]) throws(MethodProblem) {
        guard claims.isEmpty || JSONValue.object(claims).serialized.count <= Limits.customClaimsBytesMax else {
            throw .invalidArguments.saying(
                "customClaims must have at most \(Limits.customClaimsBytesMax) bytes of JSON")
        }
    }
}
