internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

extension OpenIDProvider {
    /// Trades another app's ID token and device secret for a session of this one (OpenID Connect Native SSO §4.3).
    ///
    /// - Throws: `server.refused` with `invalid_grant` if that app's session is over; `token.misdirected` if the answer is
    ///   about another user.
    func exchange(_ shared: SharedSession, scope: Scope) async throws(AuthError) -> (TokenGrant, IDToken) {
        var exchange = TokenExchangeRequest(
            subjectToken: Secret(shared.idToken.compact), subjectTokenType: .idToken)
        exchange.actorToken = shared.deviceSecret
        exchange.actorTokenType = .deviceSecret
        exchange.audience = [try await metadata().issuer]
        exchange.scope = scope.text
        let key: DPoPProofMaker.Key?
        if let thumbprint = shared.keyThumbprint {
            key = try await proofs.key(thumbprint)
        } else {
            key = try await bindingKey()
        }
        let grant = try await tokens(
            .tokenExchange(exchange), key: key, bindsAccessToken: service.binding == .allTokens)
        guard let compact = grant.idToken else {
            throw AuthError(.protocolViolation, "the token answer has no ID token (Native SSO §4.4)")
        }
        let verified = try await idTokenVerifier().verify(
            compact, nonce: nil, accessToken: grant.accessToken, maxAgeSeconds: nil, at: clock.now())
        guard verified.subject == shared.idToken.subject else {
            throw AuthError(.tokenMisdirected, "the answer's ID token names another user")
        }
        return (grant, IDToken(compact: compact, verified: verified))
    }
}
