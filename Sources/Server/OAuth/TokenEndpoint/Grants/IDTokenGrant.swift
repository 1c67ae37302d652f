public import KeyturnBase
public import KeyturnWire
public import Model

/// The answer to a session's own access token (Authgear's `id-token` grant).
public struct RenewedIDToken: Sendable {
    public let idToken: String
    /// The session's device secret (OpenID Connect Native SSO §3.4), if it has one, is bound to a key, and the access
    /// token has the whole granted scope.
    public let deviceSecret: Secret?
}

extension TokenEndpoint {
    /// Whether a form asks for an ID token alone.
    @Sendable public static func isIDTokenRenewal(_ form: FormParameters) -> Bool {
        form.single("grant_type") == GrantType.idToken.rawValue
    }

    /// The ID token of an access token's session, with claims as they are now; `auth_time` stays. The session does not
    /// change.
    ///
    /// - Parameters:
    ///   - token: the app's access token as it was sent, its claims and its grant; `nil`: there was none, or it is
    ///     over.
    ///   - proof: required if the session's refresh token is bound to a key: a thief of an access token cannot make it.
    /// - Throws: ``OAuthProblem``; `invalid_grant` for every flaw of the token.
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
        try await proofs.admit(proof)
        let now = ambient.now()
        // The secret begins sessions of other apps: a stolen token, or one of less scope, must not get it.
        let bringsSecret =
            live.grant.keyThumbprint != nil
            && live.grant.scope.intersection(client.permittedScope).isSubset(of: presented.scope)
        var grant = live.grant
        let account = try await stores.users.account(live.user.id)
        grant.canReauthenticate = account?.canReauthenticate
        grant.isAnonymous = account?.user.isAnonymous
        return RenewedIDToken(
            idToken: try issuer.idToken(
                grant, client: client, accessToken: text.exposed(), nonce: nil,
                userClaims: try await claims.idToken(of: grant, to: client, scope: presented.scope), at: now),
            deviceSecret: bringsSecret ? issuer.deviceSecret(grant, of: client) : nil)
    }
}
