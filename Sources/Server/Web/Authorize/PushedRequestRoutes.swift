internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import OAuth

/// `/oauth2/par`: where clients hand in authorization requests (RFC 9126).
struct PushedRequestRoutes: Sendable {
    let services: IdentityServices
    let addresses: ClientAddress

    /// `POST /oauth2/par`.
    @Sendable func push(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        let client = try await services.clientAuthenticator.authenticate(
            PresentedClient(authorization: request.headers[.authorization], form: form))
        let proof = try services.proofs.proof(request.proofPresentation(services.project, Routes.pushedRequests))
        let outcome = try await services.pushedRequests.push(
            form, client: client, proof: proof, from: addresses.address(of: request, context))
        guard case .kept(let answer) = outcome else { return Self.refusal(outcome) }
        var headers: HTTPFields = [:]
        if let proof, services.proofs.wantsNonce(proof) { headers[.dpopNonce] = services.proofs.nonce() }
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
