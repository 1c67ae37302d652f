public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Signs out: revokes the session at the service and removes it from this machine.
    ///
    /// - Parameter force: `false`: if the service cannot be reached, throws and changes nothing. `true`: removes the
    ///   local session first and at once, then tells the service if it can be reached.
    /// - Throws: `transport.unavailable` and `server.refused` unless forced; `store.unavailable` if the stored
    ///   session could not be removed. Signing out when nobody is signed in is no error.
    public func logout(force: Bool = false) async throws(AuthError) {
        let opened = await keeper.opened
        try await keeper.logout(force: force)
        // Nothing is left for the key to open.
        if let opened { try await vaultAccess.records.removeOpen(of: opened.user) }
    }

    /// Where to send the browser so that its own session at the service ends as well (OpenID Connect RP-Initiated
    /// Logout §2); `nil` if the service has no such page. Ask before ``logout(force:)``, which forgets the ID token.
    ///
    /// - Parameters:
    ///   - postLogoutRedirectURI: Where the service sends the browser afterwards, as registered there.
    ///   - state: Comes back with that redirect.
    /// - Throws: `transport.unavailable`, `protocol.violation` if the service cannot be discovered.
    public func endSessionURL(
        postLogoutRedirectURI: String? = nil, state: String? = nil
    ) async throws(AuthError) -> String? {
        guard let endpoint = try await provider.metadata().endSessionEndpoint else { return nil }
        var request = LogoutRequest()
        request.clientID = service.clientID
        request.idTokenHint = await idTokenHint
        request.postLogoutRedirectURI = postLogoutRedirectURI
        request.state = state
        return URLText.adding(request.parameters, to: endpoint)
    }
}
