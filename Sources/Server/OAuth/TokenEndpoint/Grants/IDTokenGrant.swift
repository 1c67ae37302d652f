public import KeyturnBase
public import KeyturnWire
public import Model

/// What a session's own access token brings anew (Authgear's `id-token` grant).
public struct RenewedIDToken: Sendable {
    public let idToken: String
    /// The session's device secret (OpenID Connect Native SSO §3.4), if it has one, is bound to a key, and the access token
    /// is good for everything that was granted.
    public let deviceSecret: Secret?
}

extension TokenEndpoint {
    /// Whether a form asks for an ID token alone.
    public func isIDTokenRenewal(_ form: FormParameters) -> Bool {
        form.single("grant_type") == GrantType.idToken.rawValue
    }

    /// The ID token of the session behind an access token, with claims as they are now; `auth_time` stays. Nothing of the
    /// session changes.
    ///
    /// - Parameters:
    ///   - token: the app's access token as it was sent, what it says and what stands behind it; `nil`: there was none, or
    ///     it is over.
    ///   - proof: wanted where the session's refresh token is bound to a key: a stolen access token does not bring it.
    /// - Throws: ``OAuthProblem``; `invalid_grant` for everything that is wrong with the token.
    public func renewIDToken(
        _ form: FormParameters, client: Client?, token: (Secret, PresentedAccessToken, LiveGrant)?,
        proof: CheckedDPoPProof?
    ) async throws -> RenewedIDToken {
        try checkForm(form)
        guard let client else { throw OAuthProblem(.invalidClient, "no client is named") }
        guard client.profile == .authgear else {
            throw OAuthProblem(.unauthorizedClient, "the client is not registered for this grant type")
        }
        guard let (text, presented, live) = token, presented.clientID == client.id, presented.ancestors.isEmpty,
            presented.actor == nil, presented.restrictedTo == nil, presented.scope.contains(Scope.openID)
        else { throw OAuthProblem(.invalidGrant, "the access token of a session is wanted, with openid") }
        guard live.grant.keyThumbprint == nil || live.grant.keyThumbprint == proof?.keyThumbprint else {
            throw OAuthProblem(.invalidDPoPProof, "the session is bound to a key: send a proof of it")
        }
        try await issuer.requireKey(of: client)
        try proofs.admit(proof)
        let now = ambient.now()
        // Whoever has the secret begins sessions of other apps: a stolen or a lesser token must not bring it.
        let bringsSecret = live.grant.keyThumbprint != nil && live.grant.scope.isSubset(of: presented.scope)
        var grant = live.grant
        grant.canReauthenticate = try await stores.users.account(live.user.id)?.canReauthenticate
        return RenewedIDToken(
            idToken: try issuer.idToken(
                grant, client: client, accessToken: text.exposed(), nonce: nil, userClaims: [:], at: now),
            deviceSecret: bringsSecret ? issuer.deviceSecret(grant, of: client) : nil)
    }
}
