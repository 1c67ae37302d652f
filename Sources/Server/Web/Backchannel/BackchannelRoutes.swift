internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import OAuth

/// `/oauth2/bc-authorize`: a client asks for a sign-in that the user approves on another device (OpenID Connect CIBA).
struct BackchannelRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        [Route(.post, Routes.backchannelAuthentication, checks.client(), sharing: .clients, handler: start)]
    }

    @Sendable private func start(
        _ asking: AuthenticatedClientForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let proof = try services.dpop.proof(
            request.proofPresentation(services.project, Routes.backchannelAuthentication))
        let start = try await services.backchannel.start(
            asking.form, client: asking.client, proof: proof, from: checks.addresses.address(of: request, context))
        switch start {
        case .started(let answer):
            var headers: HTTPFields = [:]
            if let proof, services.dpop.wantsNonce(proof) { headers[.dpopNonce] = services.dpop.nonce() }
            return .json(answer.json, headers: headers)
        case .tooMany(let seconds):
            var response = Response.problem(
                OAuthProblem(.temporarilyUnavailable, "the client has asked too often with this hint: try again later"))
            response.status = .tooManyRequests
            response.headers[.retryAfter] = String(seconds)
            return response
        }
    }
}

extension BackchannelAuthenticationResponse {
    fileprivate var json: [UInt8] {
        JSONWriter.object { json in
            json.member("auth_req_id", authReqID)
            json.member("expires_in", expiresInSeconds)
            json.member("interval", intervalSeconds)
            json.member("number", number)
        }
    }
}
