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
            request.form, client: request.client, binding: request.binding, from: request.address,
            kind: request.clientKind)
    }
}

extension TokenEndpoint {
    /// `refresh_token` (RFC 6749 §6): one statement when the token is the current one.
    func refresh(
        _ form: FormParameters, client: Client, binding: TokenBinding, from address: NetworkAddress?, kind: String?
    ) async throws -> TokenResponse {
        guard let text = form.single("refresh_token") else {
            throw OAuthProblem(.invalidRequest, "refresh_token is missing")
        }
        let now = ambient.now()
        guard let token = issuer.refreshToken(presented: Secret(text), at: now)?.token(of: client) else {
            throw OAuthProblem(.invalidGrant, "this is not a refresh token of this server, or it is over")
        }
        try await check(form, of: token, client: client, at: now)
        // A token must not be spent if the response cannot be signed.
        try await issuer.requireKey(of: client)
        try await proofs.admit(binding.proof)
        let renewal = try await stores.grants.renew(
            token.grantID, counter: token.counter, clientID: client.id,
            keyThumbprint: binding.proof?.keyThumbprint, rotates: !client.reusesRefreshTokens,
            by: RefreshParty(network: address?.network, client: kind), shadowed: issuer.project.shadowedSessions,
            idleSeconds: issuer.project.idleSeconds, at: now)
        await reports.report(renewal, from: address, at: now)
        var grant = try Self.renewed(renewal)
        access.remember(grant)
        let allowed = try allowed(form, from: GrantedAccess(grant), client: client)
        grant.authorizationDetails = allowed.details
        return try await tokens(
            for: grant, client: client, scope: allowed.scope, resources: allowed.resources, binding: binding,
            nonce: nil, at: now)
    }

    /// Before the token is spent: a request for more than was granted, or than is allowed now, is refused, and the token
    /// stays the current one. Costs a statement for a grant that this server has not seen lately.
    private func check(
        _ form: FormParameters, of token: RefreshToken, client: Client, at now: UnixTime
    ) async throws {
        if let granted = access.recall(token.grantID), granted.clientID == client.id,
            (try? allowed(form, from: granted, client: client)) != nil
        {
            return
        }
        // A grant that is over, or another client's, is refused as such.
        guard let live = try await stores.grants.live(token.grantID, at: now), live.grant.clientID == client.id else {
            return
        }
        access.remember(live.grant)
        _ = try allowed(form, from: GrantedAccess(live.grant), client: client)
    }

    /// What a request gets of a grant.
    private func allowed(
        _ form: FormParameters, from granted: GrantedAccess, client: Client
    ) throws(OAuthProblem) -> GrantedAccess {
        let current = try permissions.current(granted, of: client)
        return GrantedAccess(
            clientID: granted.clientID,
            scope: try narrowed(scope: form.single("scope"), from: current.scope, client: client),
            resources: try narrowed(form.values("resource"), from: current.resources, client: client),
            details: try narrowed(details: form.single("authorization_details"), from: current.details))
    }

    private static func renewed(_ renewal: Renewal) throws(OAuthProblem) -> Grant {
        switch renewal {
        case .renewed(let grant), .ahead(let grant), .repeated(let grant, _), .shadowed(let grant, _, isEnded: false):
            return grant
        case .shadowed:
            throw OAuthProblem(
                .invalidGrant, "two clients used the refresh tokens in turn; the session has been ended")
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
