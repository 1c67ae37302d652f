public import KeyturnBase
internal import KeyturnWire

extension Keyturn {
    /// Where to send the browser so that its own session at the service ends as well (OpenID Connect RP-Initiated
    /// Logout §2); `nil` if the service has no such page. Ask before ``logout(force:)``, which forgets the ID token.
    /// ``logoutInBrowser(redirectURI:uiLocales:)`` does both.
    ///
    /// - Parameters:
    ///   - postLogoutRedirectURI: Where the service sends the browser afterwards, as registered there.
    ///   - state: Comes back with that redirect.
    ///   - uiLocales: Languages of the page, best first, as BCP 47 tags.
    /// - Throws: `transport.unavailable`, `protocol.violation` if the service cannot be discovered.
    public func endSessionURL(
        postLogoutRedirectURI: String? = nil, state: String? = nil, uiLocales: [String] = []
    ) async throws(AuthError) -> String? {
        guard let endpoint = try await provider.metadata().endSessionEndpoint else { return nil }
        var request = LogoutRequest()
        request.clientID = service.clientID
        request.idTokenHint = await idTokenHint
        request.postLogoutRedirectURI = postLogoutRedirectURI
        request.state = state
        request.uiLocales = uiLocales.isEmpty ? nil : uiLocales.joined(separator: " ")
        return URLText.adding(request.parameters, to: endpoint)
    }
}
