internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// What a session's device secret was traded for.
struct PreAuthenticatedGrant: Sendable {
    /// Opens one page, once, within five minutes.
    let urlToken: String
    /// Names the session to the page's client.
    let idToken: String
    /// In the place of the one that was traded.
    let deviceSecret: String
}

extension OpenIDProvider {
    /// Trades a session's ID token and device secret for a token that opens a page of another client's
    /// (OpenID Connect Native SSO §4, in Authgear's form). The secret is used up.
    ///
    /// - Parameter webClientID: The client whose page it is.
    func exchange(
        deviceSecret: String, of idToken: IDToken, webClientID: String, boundTo thumbprint: String?
    ) async throws(AuthError) -> PreAuthenticatedGrant {
        var key: DPoPProofMaker.Key?
        if let thumbprint { key = try await proofs.key(thumbprint) }
        let form = FormParameters([
            "grant_type": GrantType.tokenExchange.rawValue, "client_id": webClientID,
            "requested_token_type": TokenTypeIdentifier.preAuthenticatedURLToken.rawValue,
            "subject_token_type": TokenTypeIdentifier.idToken.rawValue, "subject_token": idToken.compact,
            "actor_token_type": TokenTypeIdentifier.earlierDeviceSecret.rawValue, "actor_token": deviceSecret,
            "audience": service.wire.authgear == nil ? try await metadata().issuer : try await pagesOrigin(),
        ])
        let metadata = try await metadata()
        let json = try await post(
            form, to: try await tokenEndpoint(), metadata, key: key, timeoutSeconds: Limits.requestSeconds)
        guard let token = TokenGrant.token(json["access_token"]), let compact = TokenGrant.idToken(json["id_token"]),
            let secret = TokenGrant.token(json[AuthgearNames.deviceSecret])
        else { throw AuthError(.protocolViolation, "the answer lacks a token, an ID token or a device secret") }
        let verified = try await idTokenVerifier(for: webClientID).verify(
            compact, nonce: nil, accessToken: nil, maxAgeSeconds: nil, at: clock.now())
        guard verified.subject == idToken.subject else {
            throw AuthError(.tokenMisdirected, "the answer's ID token names another user")
        }
        return PreAuthenticatedGrant(urlToken: token, idToken: compact, deviceSecret: secret)
    }
}
