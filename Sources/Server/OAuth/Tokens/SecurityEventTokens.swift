public import KeyturnBase
internal import KeyturnJose
public import KeyturnWire
public import Model

/// Signs security event tokens (RFC 8417) about users of this server.
public struct SecurityEventTokens: Sendable {
    /// What happened, in the words of a profile.
    public struct Statement: Hashable, Sendable {
        /// The identifier of the event type.
        public let type: String
        public let userID: UserID
        /// The session that it is about; `nil`: all of the user's.
        public let sessionID: SessionID?
        /// Only what this client has of the session; `nil`: the session itself.
        public let clientID: String?
        /// The members of the event.
        public let details: [String: JSONValue]

        public init(
            type: String, userID: UserID, sessionID: SessionID? = nil, clientID: String? = nil,
            details: [String: JSONValue]
        ) {
            self.type = type
            self.userID = userID
            self.sessionID = sessionID
            self.clientID = clientID
            self.details = details
        }
    }

    private let issuer: TokenIssuer

    package init(issuer: TokenIssuer) {
        self.issuer = issuer
    }

    /// A token about one event, for one receiver (Shared Signals Framework 1.0 §4).
    ///
    /// - Parameter id: The same for every token about the event: the receiver takes it once.
    /// - Throws: `temporarily_unavailable` while there is no signing key.
    public func token(
        _ statement: Statement, id: String, audience: String, at now: UnixTime
    ) throws(OAuthProblem) -> String {
        try issuer.securityEventToken(
            issuer.subject(statement), [statement.type: .object(statement.details)], id: id, audience: audience, at: now
        )
    }

    /// A token that shows a receiver that its stream works (Shared Signals Framework 1.0 §8.1.4).
    ///
    /// - Parameters:
    ///   - state: what the receiver wants to get back.
    ///   - stream: its identifier.
    /// - Throws: `temporarily_unavailable` while there is no signing key.
    func verification(
        state: String?, of stream: String, id: String, audience: String, at now: UnixTime
    ) throws(OAuthProblem) -> String {
        let details: [String: JSONValue] = state.map { ["state": .string($0)] } ?? [:]
        return try issuer.securityEventToken(
            ["format": "opaque", "id": .string(stream)], [Self.verificationType: .object(details)], id: id,
            audience: audience, at: now)
    }

    private static let verificationType = "https://schemas.openid.net/secevent/ssf/event-type/verification"
}

extension TokenIssuer {
    fileprivate func securityEventToken(
        _ subject: JSONValue, _ events: [String: JSONValue], id: String, audience: String, at now: UnixTime
    ) throws(OAuthProblem) -> String {
        let payload = JSONWriter.object { json in
            json.member("iss", project.issuer)
            json.member("jti", id)
            json.member("iat", now.rawValue)
            json.member("aud", audience)
            json.member(named: "sub_id", subject)
            json.member(named: "events", .object(events))
        }
        return try sign(payload, accessTokenAlgorithm, at: now) { $0.securityEventToken }
    }

    /// A user by issuer and `sub` (RFC 9493 §3.2.4), with a session by its `sid`, and a client of it by its `client_id`,
    /// as a complex subject (Shared Signals Framework 1.0 §3.2).
    fileprivate func subject(_ statement: SecurityEventTokens.Statement) -> JSONValue {
        let user = JSONValue.object([
            "format": "iss_sub", "iss": .string(project.issuer), "sub": .string(statement.userID.rawValue),
        ])
        guard let session = statement.sessionID else { return user }
        var members: [String: JSONValue] = [
            "format": "complex", "user": user,
            "session": .object(["format": "opaque", "id": .string(session.rawValue)]),
        ]
        members["application"] = statement.clientID.map { ["format": "opaque", "id": .string($0)] }
        return .object(members)
    }
}
