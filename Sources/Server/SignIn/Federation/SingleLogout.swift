public import KeyturnBase
public import Model

/// Sign-outs that go through the browser between this server and a provider (SAML Profiles §4.4).
public protocol SingleLogout: Sendable {
    /// The request that tells the provider that its user signed out here.
    ///
    /// - Parameters:
    ///   - origin: where the session began, which is over.
    ///   - handle: comes back with the answer.
    /// - Returns: `nil` if the provider has no such service, or does not know the user by a name.
    /// - Throws: ``ConnectionProblem``.
    func leave(_ origin: FederatedOrigin, handle: String, at connection: Connection) throws(ConnectionProblem)
        -> ConnectionDeparture?

    /// Judges what a browser brings from the provider.
    ///
    /// - Throws: ``ConnectionProblem``.
    func read(_ message: LogoutMessage, at connection: Connection) async throws(ConnectionProblem) -> LogoutArrival

    /// The answer to the provider's request, whose sessions are over.
    ///
    /// - Throws: ``ConnectionProblem``.
    func answer(_ request: LogoutArrival.Request, at connection: Connection) throws(ConnectionProblem)
        -> ConnectionDeparture.Way
}

/// A message of single logout as the browser brought it.
public enum LogoutMessage: Sendable {
    /// The query of the address, octet for octet: its signature covers them as they came.
    case query(String)
    /// The fields of a form.
    case form([(name: String, value: String)])
}

/// A message of single logout that passed every check.
public enum LogoutArrival: Hashable, Sendable {
    case request(Request)
    case response(Response)

    /// The provider signed its user out.
    public struct Request: Hashable, Sendable {
        /// The provider's identifier.
        public let issuer: String
        /// What the provider calls the user: see ``FederatedOrigin/providerName``.
        public let name: String
        /// Only these sessions of the provider; empty: every one of the user.
        public let sessions: [String]
        /// Of the message, for the answer.
        public let id: String
        public let relayState: String?
        /// The message counts once, and until now.
        public let expiresAt: UnixTime

        public init(
            issuer: String, name: String, sessions: [String], id: String, relayState: String?, expiresAt: UnixTime
        ) {
            self.issuer = issuer
            self.name = name
            self.sessions = sessions
            self.id = id
            self.relayState = relayState
            self.expiresAt = expiresAt
        }

        /// Whether a browser session is meant.
        public func covers(_ origin: FederatedOrigin) -> Bool {
            guard origin.key.issuer == issuer, origin.providerName == name else { return false }
            return sessions.isEmpty || origin.providerSession.map(sessions.contains) == true
        }
    }

    /// The provider's answer to our request.
    public struct Response: Hashable, Sendable {
        public let inResponseTo: String
        /// The handle of our request.
        public let relayState: String?
        /// Whether the provider says that all went well there. The session here is over whatever it says.
        public let isSuccess: Bool

        public init(inResponseTo: String, relayState: String?, isSuccess: Bool) {
            self.inResponseTo = inResponseTo
            self.relayState = relayState
            self.isSuccess = isSuccess
        }
    }
}
