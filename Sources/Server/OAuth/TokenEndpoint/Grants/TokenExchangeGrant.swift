internal import KeyturnBase
public import KeyturnWire
internal import Model

/// `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693 §2), Native SSO included (OpenID Connect Native SSO
/// §4.3).
public enum TokenExchangeGrant: TokenGrant {
    public static let type = GrantType.tokenExchange
    public static let parameters: Set<String> = [
        "subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type", "scope",
        "resource",
        "audience", "authorization_details", "box_shared_link", "dpop_bound_access_tokens",
    ]
    public static let admission = GrantAdmission(worksWithoutClient: true)

    public static func answer(_ request: TokenGrantRequest, at endpoint: TokenEndpoint) async throws -> TokenResponse {
        if request.hasClient, TokenEndpoint.isPreAuthenticatedURL(request.form) {
            return try await endpoint.preAuthenticatedURL(
                request.form, client: request.client, binding: request.binding)
        }
        guard request.hasClient, TokenEndpoint.isNativeSignIn(request.form) else {
            return try await endpoint.exchange(
                request.form, client: request.hasClient ? request.client : nil, proof: request.proof,
                from: request.address)
        }
        return try await endpoint.nativeSignIn(request.form, client: request.client, binding: request.binding)
    }
}

extension TokenEndpoint {
    /// `urn:ietf:params:oauth:grant-type:token-exchange` (RFC 8693 §2): a token for less, for another service, or for
    /// an actor. It never allows more than its parent, never lives longer, ends with it, and cannot be renewed.
    ///
    /// - Parameter client: `nil` if none was named: then only the token itself authorizes the request (Box's form), and
    ///   the new one is issued to the token's own client.
    func exchange(
        _ form: FormParameters, client: Client?, proof: CheckedDPoPProof?, from address: NetworkAddress?
    ) async throws -> TokenResponse {
        let now = ambient.now()
        try Self.checkTypes(form)
        let parent = try await presented("subject_token", form, at: now)
        guard parent.exchanges < Limits.exchangesMax else {
            throw OAuthProblem(.invalidRequest, "the token was exchanged too often: begin with an earlier one")
        }
        let asker = try ExchangeAsker(client, of: parent, clients: clients)
        let actorToken = try await actorToken(form, asker: asker, at: now)
        let key = try Self.key(form, asker: asker, parent: parent, proof: proof)
        let scope = try Self.scope(form, asker: asker, parent: parent)
        let target = try ExchangeTarget(
            form, parent: parent, asker: asker, isLimited: try await isLimited(form, parent, of: asker, at: now),
            project: issuer.project, clients: clients)
        let token = ExchangedToken(
            parent: parent, clientID: asker.client.id, scope: scope, audience: target.audience,
            restrictedTo: try target.restricted(scope, parent: parent),
            authorizationDetails: try Self.details(
                form, asker: asker, parent: parent, audience: target.audience),
            actor: Self.actor(actorToken, asker: asker, parent: parent), actorToken: actorToken,
            keyThumbprint: key,
            expiresAt: min(
                now + issuer.project.accessTokenSeconds, parent.expiresAt, actorToken?.expiresAt ?? parent.expiresAt))
        try await proofs.admit(proof)
        let text = try issuer.accessToken(token, at: now)
        record(token, from: address, at: now)
        return Self.answer(text, token, at: now)
    }

    /// Whether the token's sign-in was for certain services, or the token was narrowed since: then it leads to no
    /// others. Asked only if the request names a service. A sign-in to a client of others is for what its page named.
    private func isLimited(
        _ form: FormParameters, _ parent: PresentedAccessToken, of asker: ExchangeAsker, at now: UnixTime
    ) async throws -> Bool {
        guard parent.grantID == nil || asker.client.isFirstParty else { return true }
        guard parent.ancestors.isEmpty, parent.audience == [issuer.project.issuer] else { return true }
        guard let grantID = parent.grantID, !(form.values("resource") + form.values("audience")).isEmpty else {
            return false
        }
        return try await stores.grants.live(grantID, at: now).map { !$0.grant.resources.isEmpty } ?? true
    }

    private static func answer(_ text: String, _ token: ExchangedToken, at now: UnixTime) -> TokenResponse {
        var response = TokenResponse(
            accessToken: text, tokenType: token.keyThumbprint == nil ? TokenType.bearer : TokenType.dpop,
            expiresInSeconds: token.expiresAt.seconds(since: now), scope: token.scope.text)
        response.issuedTokenType = TokenTypeIdentifier.accessToken.rawValue
        response.restrictedTo = (token.restrictedTo ?? []).map(\.answerJSON)
        response.authorizationDetails = token.authorizationDetails?.json
        return response
    }

    private func record(_ token: ExchangedToken, from address: NetworkAddress?, at now: UnixTime) {
        audit.recordOnce(
            AuditEvent(
                .tokenExchanged, at: now, userID: token.parent.userID, clientID: token.clientID, address: address?.text,
                reason: token.restrictedTo == nil ? nil : "restricted", actor: token.actor?["sub"]?.stringValue,
                target: token.parent.clientID))
    }

    /// Access tokens are exchanged for an access token, and no other types.
    private static func checkTypes(_ form: FormParameters) throws(OAuthProblem) {
        for name in ["subject_token_type", "requested_token_type", "actor_token_type"] {
            guard let type = form.single(name) else { continue }
            guard TokenTypeIdentifier(rawValue: type) == .accessToken else {
                throw OAuthProblem(.invalidRequest, "\(name) must be \(TokenTypeIdentifier.accessToken.rawValue)")
            }
        }
        guard form.single("subject_token_type") != nil else {
            throw OAuthProblem(.invalidRequest, "subject_token_type is missing")
        }
        guard (form.single("actor_token") == nil) == (form.single("actor_token_type") == nil) else {
            throw OAuthProblem(.invalidRequest, "actor_token and actor_token_type stand together, or not at all")
        }
    }

    /// - Throws: `invalid_request`, as RFC 8693 §2.2.2 wants it, for a token that is not valid, or not any more.
    private func presented(
        _ name: String, _ form: FormParameters, at now: UnixTime
    ) async throws -> PresentedAccessToken {
        guard let text = form.single(name) else { throw OAuthProblem(.invalidRequest, "\(name) is missing") }
        guard let token = try await inspector.exchangeable(Secret(text), at: now) else {
            throw OAuthProblem(.invalidRequest, "\(name) is not a good access token of this server, or no longer")
        }
        return token
    }

    /// The actors of the new token (RFC 8693 §4.1): the newest outermost. A recipient that exchanges the token is
    /// always among them.
    private static func actor(
        _ token: PresentedAccessToken?, asker: ExchangeAsker, parent: PresentedAccessToken
    ) -> JSONValue? {
        var acting = parent.actor
        let actors = [asker.isAnother ? TokenIssuer.subject(ofClient: asker.client.id) : nil, token?.subject]
        for case let subject? in actors {
            guard acting?["sub"]?.stringValue != subject else { continue }
            var members: [String: JSONValue] = ["sub": .string(subject)]
            if let before = acting { members["act"] = before }
            acting = .object(members)
        }
        return acting
    }

    /// The actor's token: of the client that asks, which authenticates, and not an exchanged one, or others could act
    /// in the name of an actor who did nothing.
    private func actorToken(
        _ form: FormParameters, asker: ExchangeAsker, at now: UnixTime
    ) async throws -> PresentedAccessToken? {
        guard form.single("actor_token") != nil else { return nil }
        let token = try await presented("actor_token", form, at: now)
        guard asker.isAuthenticated, token.clientID == asker.client.id, token.keyThumbprint == nil, token.actor == nil,
            token.ancestors.isEmpty
        else {
            throw OAuthProblem(
                .invalidRequest,
                "actor_token must be a bearer token that the client which asks, and authenticates, got at first hand")
        }
        return token
    }

    /// A bound token stays bound to its key, and is refused here without it. A recipient has checked the proof, and
    /// cannot make one: its token is bound to its own key, and never to none.
    private static func key(
        _ form: FormParameters, asker: ExchangeAsker, parent: PresentedAccessToken, proof: CheckedDPoPProof?
    ) throws(OAuthProblem) -> String? {
        if let bound = parent.keyThumbprint, !asker.isAnother {
            guard let proof else {
                throw OAuthProblem(.invalidDPoPProof, "the subject token is bound to a key: send a proof of it")
            }
            guard proof.keyThumbprint == bound else {
                throw OAuthProblem(.invalidRequest, "the subject token is bound to another key")
            }
            return bound
        }
        let binding = try TokenBinding(form, client: asker.client, proof: proof)
        guard parent.keyThumbprint == nil || (proof != nil && !binding.declines) else {
            throw OAuthProblem(
                .invalidDPoPProof,
                "the subject token is bound to a key, and so is what comes of it: send a proof of yours")
        }
        return binding.accessTokenKey(wantsBearer: binding.declines)
    }

    private static func scope(
        _ form: FormParameters, asker: ExchangeAsker, parent: PresentedAccessToken
    ) throws(OAuthProblem) -> Scope {
        // A token that cannot be renewed has no lasting scopes.
        let lasting: Set<String> = [Scope.offlineAccess, Scope.deviceSSO]
        var usable = Scope(names: parent.scope.names.filter { !lasting.contains($0) })
        // A recipient without a registered scope gets none: the token was sent to be used, not exchanged.
        if asker.isAnother { usable = usable.intersection(asker.client.scope ?? .none) }
        guard let text = form.single("scope") else {
            guard !asker.isAnother || !usable.isEmpty else {
                throw OAuthProblem(.invalidScope, "the client is registered for no scope that the subject token has")
            }
            return usable
        }
        let asked = try Scope(asked: text)
        guard !asked.isEmpty, asked.isSubset(of: usable) else {
            throw OAuthProblem(.invalidScope, "the subject token does not allow every scope that was asked for")
        }
        return asked
    }

    /// A client that narrows its own token names the details it keeps; a recipient names those it needs, of the types
    /// that it registered for, and for the granted locations (RFC 9396 §2.2).
    private static func details(
        _ form: FormParameters, asker: ExchangeAsker, parent: PresentedAccessToken, audience: [String]
    ) throws(OAuthProblem) -> AuthorizationDetails? {
        guard let text = form.single("authorization_details") else {
            let isNarrowed = ["scope", "resource", "audience", "box_shared_link"].contains { !form.values($0).isEmpty }
            return isNarrowed || asker.isAnother ? nil : parent.authorizationDetails
        }
        guard let asked = AuthorizationDetails(parsing: text) else {
            throw OAuthProblem(.invalidAuthorizationDetails, "authorization_details is not what RFC 9396 describes")
        }
        guard let granted = parent.authorizationDetails, asked.isWithin(granted) else {
            throw OAuthProblem(
                .invalidAuthorizationDetails, "the subject token does not allow all that was asked for in detail")
        }
        guard asker.isAnother else { return asked }
        let types = asker.client.metadata.authorizationDetailsTypes ?? []
        let places = Set(asked.elements.flatMap { $0["locations"]?.stringArrayValue ?? [] })
        guard asked.types.allSatisfy(types.contains), places.isSubset(of: audience) else {
            throw OAuthProblem(
                .invalidAuthorizationDetails, "the client is not registered for these types, or they are for elsewhere")
        }
        return asked
    }
}
