public import KeyturnBase
package import KeyturnWire

/// Claims of a session of the methods beside its user's own facts. Kept with the grant, so that they survive refreshes.
public struct SessionClaims: Hashable, Sendable {
    /// The client's own claims: the `nsec` claim. The server does not vouch for them.
    public var client: [String: JSONValue]
    /// Claims that management added: top level, as trustworthy as the operator.
    public var management: [String: JSONValue]
    /// Who acts in the user's name: the `act` claim (RFC 8693 §4.1); `nil`: the user.
    public var actor: String? { acting?.user }
    /// What lets another user act in this session; `nil`: the user acts.
    public var acting: Acting?

    /// What lets another user act in the session. It ends with that.
    public struct Acting: Hashable, Sendable {
        /// The identifier of the user who acts.
        public var user: String
        /// That user's epoch when the session was opened; `nil`: not recorded by earlier releases.
        public var epoch: Int64?
        /// Whether that user opened the session as an operator of the console.
        public var isOperator: Bool
        /// The browser session in the console; `nil`: none, or not recorded by earlier releases.
        public var session: SessionID?

        public init(user: String, epoch: Int64?, isOperator: Bool, session: SessionID? = nil) {
            self.user = user
            self.epoch = epoch
            self.isOperator = isOperator
            self.session = session
        }
    }

    public init(client: [String: JSONValue] = [:], management: [String: JSONValue] = [:], acting: Acting? = nil) {
        self.client = client
        self.management = management
        self.acting = acting
    }

    public static let none = SessionClaims()

    /// One that comes back from a store.
    public init(stored: [String: JSONValue]) {
        self.init(
            client: stored["client"]?.objectValue ?? [:], management: stored["management"]?.objectValue ?? [:],
            acting: stored["actor"]?.stringValue.map { user in
                Acting(
                    user: user, epoch: stored["actor_epoch"]?.integerValue,
                    isOperator: stored["actor_operator"]?.boolValue ?? false,
                    session: stored["actor_session"]?.stringValue.map(SessionID.init(rawValue:)))
            })
    }

    /// As a store keeps it.
    public var stored: [String: JSONValue] {
        var members: [String: JSONValue] = [:]
        if !client.isEmpty { members["client"] = .object(client) }
        if !management.isEmpty { members["management"] = .object(management) }
        if let acting {
            members["actor"] = .string(acting.user)
            if let epoch = acting.epoch { members["actor_epoch"] = .integer(epoch) }
            if acting.isOperator { members["actor_operator"] = true }
            if let session = acting.session { members["actor_session"] = .string(session.rawValue) }
        }
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
