public import KeyturnBase
internal import KeyturnWire

/// What ``Keyturn/revokeSessions(_:)`` ends.
public enum RevokeType: Hashable, Sendable {
    /// The container's session.
    case currentSession
    /// Every session of the person, on every device.
    case allSessions
}

extension Keyturn {
    /// Ends sessions at the service, and the container's on this machine.
    ///
    /// - Throws: `session.signed_out` if all sessions are to end and no user is signed in; `transport.unavailable`,
    ///   `server.refused`, and nothing has changed; `store.unavailable`; `service.unsupported`.
    public func revokeSessions(_ type: RevokeType) async throws(AuthError) {
        switch type {
        case .currentSession: try await logout()
        case .allSessions:
            let endpoint = try MethodAccess(self, "revokeSessions").endpoint()
            let session = try await keeper.presentableSession()
            do throws(AuthError) {
                _ = try await endpoint.post("/v1/auth/logoutall", presenting: session.credential)
            } catch {
                // Without a session there is no user whose sessions could be ended; this one is over.
                guard error.server?.status == 401, error.methodCode == MethodProblem.tokenRevoked.code else {
                    throw error
                }
            }
            try await keeper.forget()
        }
    }

    /// Trades a session of another service, which the project knows how to check, for one of this.
    ///
    /// - Parameter externalToken: The other service's token.
    /// - Throws: as ``OTPMethod/verify(with:loginId:code:)``.
    @discardableResult
    public func migrateSession(externalToken: String) async throws(AuthError) -> AuthenticationResponse {
        let token = try MethodAccess.secret(externalToken, "externalToken")
        let access = MethodAccess(self, "migrateSession")
        let endpoint = try access.endpoint()
        try await keeper.checkStore()
        let before = await keeper.timesGivenUp
        let reply = try await endpoint.post("/v1/auth/refresh", RefreshRequest(externalToken: token).json)
        let session = try MethodSession(reply, at: endpoint.clock.now())
        guard let refresh = session.refresh else {
            throw AuthError(.protocolViolation, "the answer has no refresh token")
        }
        let user: UserAnswer = try await endpoint.get("/v1/auth/me", presenting: .refreshJWT(refresh.secret)).message()
        return try await access.begin(reply, at: endpoint, user: user, since: before)
    }
}
