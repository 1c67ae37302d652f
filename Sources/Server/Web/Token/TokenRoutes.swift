internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `/oauth2/token`, `/oauth2/introspect`, `/oauth2/revoke`: for clients and resource servers.
struct TokenRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

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
        let (form, client) = (asking.form, asking.client)
        guard !endpoint.isSettingsAction(form) else {
            try await endpoint.redeemSettingsAction(form, client: client, services.transactions)
            return .json(Array("{}".utf8))
        }
        guard !endpoint.isBiometricSetUp(form) else {
            return try await setUpBiometrics(asking, request, context)
        }
        let proof = try services.dpop.proof(
            request.proofPresentation(services.project, request.uri.path), from: client)
        guard !endpoint.isIDTokenRenewal(form) else {
            return try await renewIDToken(asking, proof, request, endpoint)
        }
        let answer = try await endpoint.answer(
            form, client: client, proof: proof, from: checks.addresses.address(of: request, context))
        var headers: HTTPFields = [:]
        if let proof, services.dpop.wantsNonce(proof) { headers[.dpopNonce] = services.dpop.nonce() }
        return .json(answer.json, headers: headers)
    }

    /// Issues only an ID token, for the session of the access token in the header.
    private func renewIDToken(
        _ asking: NamedClientForm, _ proof: CheckedDPoPProof?, _ request: Request, _ endpoint: TokenEndpoint
    ) async throws -> Response {
        let token = try await holder(request).map { ($0.shown.token, $0.token, $0.live) }
        do {
            let renewed = try await endpoint.renewIDToken(
                asking.form, client: asking.client, token: token, proof: proof)
            return .json(
                JSONWriter.object { json in
                    json.member("id_token", renewed.idToken)
                    json.member("device_secret", renewed.deviceSecret?.exposed())
                })
        } catch let problem as OAuthProblem where problem.code == .invalidGrant {
            var answer = Response.problem(problem)
            answer.status = .unauthorized
            return answer
        }
    }

    /// Adds a key to the signed-in user's account: issues nothing, and the answer is empty.
    private func setUpBiometrics(
        _ asking: NamedClientForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let token = try await holder(request).map { ($0.token, $0.live) }
        do throws(OAuthProblem) {
            try await services.tokens.setUpBiometrics(
                asking.form, client: asking.client, token: token,
                from: checks.addresses.address(of: request, context))
        } catch {
            guard token == nil, error.code == .invalidGrant else { throw error }
            // A user who is signed out is told so, not that the key is bad.
            var answer = Response.problem(error)
            answer.status = .unauthorized
            return answer
        }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
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
            try await services.inspector.revoke(Secret(token), by: client)
        } else {
            try await services.inspector.revoke(Secret(token))
        }
        // An empty object, because some clients want JSON.
        return .json(Array("{}".utf8))
    }

    /// The holder of the access token in the header; `nil` if there is none, or an invalid one.
    private func holder(_ request: Request) async throws -> PersonalTokenHolder? {
        guard let shown = checks.shownToken(request) else { return nil }
        return try await checks.personalHolder(shown, request, at: request.uri.path)
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
            case .refreshToken(let grant):
                json.member("active", true)
                json.member("iss", issuer)
                json.member("sub", grant.userID.rawValue)
                json.member("client_id", grant.clientID)
                json.member("scope", grant.scope.text)
                json.member("exp", min(grant.idleExpiresAt, grant.absoluteExpiresAt).rawValue)
                confirmation(grant.keyThumbprint, into: &json)
            }
        }
    }
}
