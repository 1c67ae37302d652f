internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/oauth2/token`, `/oauth2/introspect`, `/oauth2/revoke`: for clients and resource servers.
struct TokenRoutes: Sendable {
    let checks: Checks

    var services: IdentityServices { checks.services }

    var routes: [Route] {
        [
            Route(.post, Routes.token, checks.namedClient, sharing: .clients, handler: token),
            Route(.post, Routes.introspect, checks.confidentialClient, handler: introspect),
            Route(.post, Routes.revoke, checks.namedClient, sharing: .clients, handler: revoke),
        ]
    }

    /// `POST /oauth2/token` (RFC 6749 §3.2).
    @Sendable private func token(
        _ asking: NamedClientForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        try await answer(asking, request, context, services.tokens)
    }

    /// The answer at the server's own address or at a realm's; a DPoP proof must name that address.
    func answer(
        _ asking: NamedClientForm, _ request: Request, _ context: WebContext, _ endpoint: TokenEndpoint
    ) async throws -> Response {
        try await TokenEndpointAnswer.to(asking.form).answer(
            self, TokenEndpointRequest(asking: asking, request: request, context: context, endpoint: endpoint))
    }

    /// `POST /oauth2/introspect` (RFC 7662). Public clients cannot authenticate, so they are refused.
    @Sendable private func introspect(_ asking: AuthenticatedClientForm) async throws -> Response {
        guard let token = try asking.form.one("token") else {
            throw OAuthProblem(.invalidRequest, "token is missing")
        }
        return .json(json(try await services.inspector.introspect(Secret(token), by: asking.client)))
    }

    /// `POST /oauth2/revoke` (RFC 7009): 200 whether the token was known or not.
    @Sendable private func revoke(_ asking: NamedClientForm) async throws -> Response {
        guard let token = try asking.form.one("token") else {
            throw asking.client == nil
                ? OAuthProblem(.invalidClient, "no client is named") : OAuthProblem(.invalidRequest, "token is missing")
        }
        if let client = asking.client {
            try await services.inspector.revoke(Secret(token), by: client.client)
        } else {
            try await services.inspector.revoke(Secret(token))
        }
        // An empty object, because some clients want JSON.
        return .json(Array("{}".utf8))
    }

    /// The key that the token is bound to (RFC 9449 §6.2).
    private func confirmation(_ keyThumbprint: String?, into json: inout JSONWriter) {
        guard let keyThumbprint else { return }
        json.member("cnf", .object(["jkt": .string(keyThumbprint)]))
    }

    private func json(_ answer: TokenInspector.Answer) -> [UInt8] {
        let issuer = services.project.issuer
        return JSONWriter.object { json in
            switch answer {
            case .inactive:
                json.member("active", false)
            case .accessToken(let token):
                json.member("active", true)
                json.member("iss", token.issuer)
                json.member("sub", token.subject)
                json.member("client_id", token.clientID)
                json.member("scope", token.scope.text)
                json.member("aud", token.audience)
                json.member("iat", token.issuedAt.rawValue)
                json.member("exp", token.expiresAt.rawValue)
                json.member("jti", token.tokenID)
                json.member("token_type", token.keyThumbprint == nil ? TokenType.bearer : TokenType.dpop)
                confirmation(token.keyThumbprint, into: &json)
                token.writeDetails(into: &json)
            case .refreshToken(let grant, let scope):
                json.member("active", true)
                json.member("iss", issuer)
                json.member("sub", grant.userID.rawValue)
                json.member("client_id", grant.clientID)
                json.member("scope", scope.text)
                json.member("exp", min(grant.idleExpiresAt, grant.absoluteExpiresAt).rawValue)
                confirmation(grant.keyThumbprint, into: &json)
            }
        }
    }
}
