internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// A request at the token endpoint, at the server's own address or at a realm's.
struct TokenEndpointRequest: Sendable {
    let asking: NamedClientForm
    let request: Request
    let context: WebContext
    let endpoint: TokenEndpoint

    var form: FormParameters { asking.form }
    var client: Client? { asking.client?.client }
}

/// What the token endpoint answers to one kind of form.
///
/// Grant types that give tokens are in ``TokenGrants``. To add another kind of answer: a value of this type, and its line
/// in ``others``.
struct TokenEndpointAnswer: Sendable {
    let isWanted: @Sendable (FormParameters) -> Bool
    let answer: @Sendable (TokenRoutes, TokenEndpointRequest) async throws -> Response

    /// The answers that hold no access token: one line for each.
    static let others: [TokenEndpointAnswer] = [
        .settingsAction,
        .biometricSetUp,
        .idTokenRenewal,
        .appToApp,
    ]

    /// The answer to a form.
    static func to(_ form: FormParameters) -> TokenEndpointAnswer {
        others.first { $0.isWanted(form) } ?? .tokens
    }
}

extension TokenEndpointAnswer {
    /// The tokens of a grant type.
    private static let tokens = TokenEndpointAnswer(isWanted: { _ in true }) { routes, asked in
        let proof = try routes.proof(asked)
        let answer = try await asked.endpoint.answer(
            asked.form, client: asked.client, proof: proof, from: routes.address(asked),
            kind: ClientKind.of(asked.request.headers[.userAgent]))
        var headers: HTTPFields = [:]
        let dpop = routes.services.dpop
        if let proof, dpop.wantsNonce(proof) { headers[.dpopNonce] = dpop.nonce() }
        return .json(answer.json, headers: headers)
    }

    /// The code of a settings action: the answer is an empty object.
    private static let settingsAction = TokenEndpointAnswer(isWanted: TokenEndpoint.isSettingsAction) { routes, asked in
        try await asked.endpoint.redeemSettingsAction(
            asked.form, client: asked.client, routes.services.transactions)
        return .json(Array("{}".utf8))
    }

    /// Adds a key to the signed-in user's account: issues nothing, and the answer is empty.
    private static let biometricSetUp = TokenEndpointAnswer(isWanted: TokenEndpoint.isBiometricSetUp) { routes, asked in
        let token = try await routes.holder(asked.request).map { ($0.token, $0.live) }
        do throws(OAuthProblem) {
            try await routes.services.tokens.setUpBiometrics(
                asked.form, client: asked.client, token: token, from: routes.address(asked))
        } catch {
            guard token == nil, error.code == .invalidGrant else { throw error }
            // A user who is signed out is told so, not that the key is bad.
            return .unauthorized(error)
        }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }

    /// A code for another app of the operator.
    private static let appToApp = TokenEndpointAnswer(isWanted: TokenEndpoint.isAppToApp) { routes, asked in
        let code = try await asked.endpoint.approveAppToApp(
            asked.form, client: asked.client, proof: try routes.proof(asked))
        return .json(JSONWriter.object { $0.member("code", code.exposed()) })
    }

    /// Issues only an ID token, for the session of the access token in the header.
    private static let idTokenRenewal = TokenEndpointAnswer(isWanted: TokenEndpoint.isIDTokenRenewal) { routes, asked in
        let proof = try routes.proof(asked)
        let token = try await routes.holder(asked.request).map { ($0.shown.token, $0.token, $0.live) }
        do {
            let renewed = try await asked.endpoint.renewIDToken(
                asked.form, client: asked.client, token: token, proof: proof)
            return .json(
                JSONWriter.object { json in
                    json.member("id_token", renewed.idToken)
                    json.member("device_secret", renewed.deviceSecret?.exposed())
                })
        } catch let problem as OAuthProblem where problem.code == .invalidGrant {
            return .unauthorized(problem)
        }
    }
}

extension TokenRoutes {
    /// The DPoP proof of a request, which must name the address that the request came to.
    fileprivate func proof(_ asked: TokenEndpointRequest) throws(OAuthProblem) -> CheckedDPoPProof? {
        try services.dpop.proof(
            asked.request.proofPresentation(services.project, asked.request.target.path), from: asked.client)
    }

    /// The client's network address.
    fileprivate func address(_ asked: TokenEndpointRequest) -> NetworkAddress? {
        checks.addresses.address(of: asked.request, asked.context)
    }

    /// The holder of the access token in the header; `nil` if there is none, or an invalid one.
    fileprivate func holder(_ request: Request) async throws -> PersonalTokenHolder? {
        guard let shown = checks.shownToken(request) else { return nil }
        return try await checks.personalHolder(shown, request, at: request.target.path)
    }
}

extension Response {
    /// A problem with the token in the header.
    fileprivate static func unauthorized(_ problem: OAuthProblem) -> Response {
        var answer = Response.problem(problem)
        answer.status = .unauthorized
        return answer
    }
}
