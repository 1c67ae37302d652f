internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// A token that opens one page of a web application signed in (Authgear's pre-authenticated URLs).
extension TokenEndpoint {
    /// Whether a token exchange asks for such a token.
    static func isPreAuthenticatedURL(_ form: FormParameters) -> Bool {
        form.single("requested_token_type") == TokenTypeIdentifier.preAuthenticatedURLToken.rawValue
    }

    /// Exchanges an app's ID token and device secret for a token of the web application `client`. The token counts once,
    /// for five minutes, and for pages of the origins that the operator listed for that client.
    ///
    /// The device secret stays: it is derived from the session, lives no longer, and a session that is bound to a key
    /// needs a proof of that key here.
    func preAuthenticatedURL(
        _ form: FormParameters, client: Client, binding: TokenBinding
    ) async throws -> TokenResponse {
        guard client.opensPagesSignedIn else {
            throw OAuthProblem(
                .unauthorizedClient, "the client is no web application whose pages apps may open signed in")
        }
        let now = ambient.now()
        let parent = try await parent(in: form, requested: .preAuthenticatedURLToken, binding, at: now)
        let scope = parent.scope.intersection(clients.client(parent.clientID)?.permittedScope ?? .none)
        guard scope.contains(Scope.deviceSSO), scope.contains(AuthgearNames.preAuthenticatedURL) else {
            throw OAuthProblem(.insufficientScope, "the session needs the scope \(AuthgearNames.preAuthenticatedURL)")
        }
        try checkFactors(of: parent, client: client, at: now)
        try await issuer.requireKey(of: client)
        try await proofs.admit(binding.proof)
        let charge = RateLimitCharge(
            "page:\(parent.id.text)", max: Limits.preAuthenticatedTokensMax, windowSeconds: Limits.sendWindowSeconds)
        guard try await stores.rateLimits.spend([charge], at: now) == nil else {
            throw OAuthProblem(.temporarilyUnavailable, "too many pages with one session: try again later")
        }
        let token = PreAuthenticatedToken(
            clientID: client.id, grantID: parent.id.text, expiresAt: now + Limits.preAuthenticatedTokenSeconds,
            id: ambient.randomToken(byteCount: 16))
        let text = seal.close(token, kind: PreAuthenticatedToken.kind)
        var response = TokenResponse(
            accessToken: text, tokenType: TokenType.bearer, expiresInSeconds: Limits.preAuthenticatedTokenSeconds)
        response.issuedTokenType = TokenTypeIdentifier.preAuthenticatedURLToken.rawValue
        response.idToken = try issuer.idToken(
            parent, client: client, accessToken: text, nonce: nil, userClaims: [:], at: now)
        response.deviceSecret = issuer.deviceSecrets.encode(parent.id).exposed()
        return response
    }
}
