internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// `/oauth2/par`: where clients hand in authorization requests (RFC 9126).
struct PushedRequestRoutes: Sendable {
    let services: IdentityServices

    /// `POST /oauth2/par`.
    @Sendable func push(_ request: Request, _ context: WebContext) async throws -> Response {
        let form = try await request.formParameters()
        let client = try await services.clientAuthenticator.authenticate(
            PresentedClient(authorization: request.headers[.authorization], form: form))
        let proof = try services.proofs.proof(request.proofPresentation(services.project, Routes.pushedRequests))
        let answer = try await services.pushedRequests.push(form, client: client, proof: proof)
        var headers: HTTPFields = [:]
        if let proof, services.proofs.wantsNonce(proof) { headers[.dpopNonce] = services.proofs.nonce() }
        let body = JSONWriter.object { json in
            json.member("request_uri", answer.requestURI)
            json.member("expires_in", answer.expiresInSeconds)
        }
        return .json(body, status: .created, headers: headers)
    }
}
