internal import KeyturnBase
internal import KeyturnWire

extension TokenEndpoint {
    /// `client_credentials` (RFC 6749 §4.4): no statement at all.
    func clientCredentials(
        _ form: FormParameters, client: Client, binding: TokenBinding
    ) throws(OAuthProblem) -> TokenResponse {
        guard !client.isPublic else {
            throw OAuthProblem(.unauthorizedClient, "only a client that authenticates may act for itself")
        }
        let now = ambient.now()
        let scope = try clientScope(Self.one(form, "scope"), client: client)
        let resources = try issuer.project.checkedResources(form.values("resource"))
        try proofs.admit(binding.proof)
        let key = binding.accessTokenKey(wantsBearer: binding.declines)
        let accessToken = try issuer.accessToken(
            forClient: client.id, scope: scope, resources: resources, keyThumbprint: key, at: now)
        return TokenResponse(
            accessToken: accessToken, tokenType: key == nil ? TokenType.bearer : TokenType.dpop,
            expiresInSeconds: issuer.project.accessTokenSeconds,
            scope: scope.text)
    }

    /// What it asked for out of what it registered; scopes that speak of a person mean nothing here.
    private func clientScope(_ asked: String?, client: Client) throws(OAuthProblem) -> Scope {
        let personal = Set(Project.standardScopes)
        let registered = Scope(names: (client.scope ?? .none).names.filter { !personal.contains($0) })
        guard let asked else { return registered }
        guard let scope = Scope(asked), scope.names.count <= Limits.scopeNamesMax else {
            throw OAuthProblem(.invalidScope, "scope is not well-formed")
        }
        let wanted = Scope(names: scope.names.filter { !personal.contains($0) })
        guard wanted.isSubset(of: registered) else {
            throw OAuthProblem(.invalidScope, "the client is not registered for every scope that it asked for")
        }
        return wanted
    }
}
