internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import OAuth

/// `/oauth2/par`: clients push authorization requests (RFC 9126).
struct PushedRequestRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        // FAPI 2.0's test suite wants 401 for each failed client authentication (RFC 9126 §2.3): see Responder.
        [Route(.post, Routes.pushedRequests, checks.client(status: 401), sharing: .clients, handler: push)]
    }

    /// `POST /oauth2/par`.
    @Sendable private func push(
        _ asking: AuthenticatedClientForm, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let proof = try services.dpop.proof(request.proofPresentation(services.project, Routes.pushedRequests))
        let outcome = try await services.pushedRequests.push(
            asking.form, client: asking.client, proof: proof, from: checks.addresses.address(of: request, context))
        guard case .kept(let answer) = outcome else { return Self.refusal(outcome) }
        var headers: HTTPFields = [:]
        if let proof, services.dpop.wantsNonce(proof) { headers[.dpopNonce] = services.dpop.nonce() }
        let body = JSONWriter.object { json in
            json.member("request_uri", answer.requestURI)
            json.member("expires_in", answer.expiresInSeconds)
        }
        return .json(body, status: .created, headers: headers)
    }

    private static func refusal(_ outcome: PushedRequestEndpoint.Outcome) -> Response {
        var response = Response.problem(
            OAuthProblem(
                .temporarilyUnavailable, "too many requests were handed in from this network: try again later"))
        guard case .tooMany(let seconds) = outcome else { return response }
        response.status = .tooManyRequests
        response.headers[.retryAfter] = String(seconds)
        return response
    }
}
