public import KeyturnBase
package import KeyturnWire

/// What a session of the methods says beside its user's own facts. Kept with the grant, so that it stays over refreshes.
public struct SessionClaims: Hashable, Sendable {
    /// What the client put into its own session: the `nsec` claim. Nobody vouches for it.
    public var client: [String: JSONValue]
    /// What management added: top-level claims, as true as the operator is.
    public var management: [String: JSONValue]
    /// Who acts in the user's name: the `act` claim (RFC 8693 §4.1); `nil`: the user.
    public var actor: String?

    public init(client: [String: JSONValue] = [:], management: [String: JSONValue] = [:], actor: String? = nil) {
        self.client = client
        self.management = management
        self.actor = actor
    }

    /// Nothing more.
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

    /// Names that belong to the token itself: management cannot speak for it.
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
