internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `refresh_token` (RFC 6749 §6).
public enum RefreshTokenGrant: TokenGrant {
    public static let type = GrantType.refreshToken
    public static let parameters: Set<String> = ["refresh_token", "scope", "resource", "authorization_details"]
    public static let admission = GrantAdmission(isForUnverifiedClients: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        try await endpoint.refresh(
            request.form, client: request.client, binding: request.binding, from: request.address)
    }
}

extension TokenEndpoint {
    /// `refresh_token` (RFC 6749 §6): one statement when the token is the current one.
    func refresh(
        _ form: FormParameters, client: Client, binding: TokenBinding, from address: NetworkAddress?
    ) async throws -> TokenResponse {
        guard let text = form.single("refresh_token") else {
            throw OAuthProblem(.invalidRequest, "refresh_token is missing")
        }
        let now = ambient.now()
        // The token inside a readable one is refused by itself: the lifetime would not hold for it.
        guard !client.reusesRefreshTokens || text.utf8.contains(UInt8(ascii: ".")),
            let token = issuer.refreshToken(presented: Secret(text), at: now)
        else {
            throw OAuthProblem(.invalidGrant, "this is not a refresh token of this server, or it is over")
        }
        try await checkRequest(form, of: token, client: client, at: now)
        // A token must not be spent if the response cannot be signed.
        try await issuer.requireKey(of: client)
        try await proofs.admit(binding.proof)
        let renewal = try await stores.grants.renew(
            token.grantID, counter: token.counter, clientID: client.id,
            keyThumbprint: binding.proof?.keyThumbprint, rotates: !client.reusesRefreshTokens,
            network: address?.network, idleSeconds: issuer.project.idleSeconds, at: now)
        await reports.report(renewal, from: address, at: now)
        var grant = try Self.renewed(renewal)
        grant.authorizationDetails = try narrowed(
            details: form.single("authorization_details"), from: grant.authorizationDetails)
        let scope = try narrowed(scope: form.single("scope"), from: grant.scope, client: client)
        let resources = try narrowed(form.values("resource"), from: grant.resources)
        return try tokens(
            for: grant, client: client, scope: scope, resources: resources, binding: binding, nonce: nil,
            userClaims: [:], at: now)
    }

    /// Before the token is spent: a request for more than was granted is refused, and the token stays the current one.
    /// Costs a statement, for the few requests that ask for anything.
    private func checkRequest(_ form: FormParameters, of token: RefreshToken, client: Client, at now: UnixTime)
        async throws
    {
        let scope = form.single("scope")
        let resources = form.values("resource")
        let details = form.single("authorization_details")
        guard scope != nil || details != nil || !resources.isEmpty,
            let live = try await stores.grants.live(token.grantID, at: now)
        else { return }
        _ = try narrowed(scope: scope, from: live.grant.scope, client: client)
        _ = try narrowed(resources, from: live.grant.resources)
        _ = try narrowed(details: details, from: live.grant.authorizationDetails)
    }

    private static func renewed(_ renewal: Renewal) throws(OAuthProblem) -> Grant {
        switch renewal {
        case .renewed(let grant), .ahead(let grant), .repeated(let grant, _):
            return grant
        case .wrongKey:
            throw OAuthProblem(.invalidGrant, "the refresh token is bound to a key that this request did not prove")
        case .replayed:
            throw OAuthProblem(.invalidGrant, "the refresh token was used before; the session has been ended")
        case .expired:
            throw OAuthProblem(.invalidGrant, "the session has expired")
        case .ended(let reason):
            throw OAuthProblem(.invalidGrant, "the session has ended: \(reason?.rawValue ?? "unknown")")
        case .unknown:
            throw OAuthProblem(.invalidGrant, "the refresh token is unknown, or was issued to another client")
        }
    }

    /// Less than was granted, never more (RFC 6749 §6).
    ///
    /// A client of TIM repeats its original request at each refresh, whatever was granted of that.
    private func narrowed(scope asked: String?, from granted: Scope, client: Client) throws(OAuthProblem) -> Scope {
        guard let asked else { return granted }
        if client.profile == .tim { return try Scope(asked: asked).granted(from: granted) }
        guard let scope = Scope(asked), !scope.isEmpty, scope.isSubset(of: granted) else {
            throw OAuthProblem(.invalidScope, "a refresh cannot ask for more than was granted")
        }
        return scope
    }
}
