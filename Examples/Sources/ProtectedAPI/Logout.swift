import Hummingbird
import KeyturnVerify

/// Where the identity provider tells that a session is over (OpenID Connect Back-Channel Logout 1.0 §2.5).
struct Logout {
    let verifier: LogoutTokenVerifier
    let revocations: SessionRevocations
    let ambient: Ambient

    private struct Notice: Decodable {
        let logout_token: String?
    }

    /// 200 if the notice was taken, 400 if it is none of the provider's, 503 if that cannot be told now.
    @Sendable func answer(_ request: Request, _ context: APIContext) async throws -> Response {
        let notice = try await URLEncodedFormDecoder().decode(Notice.self, from: request, context: context)
        do {
            try await revocations.receive(notice.logout_token, verifiedBy: verifier, at: ambient.now())
        } catch {
            throw HTTPError(error.code == .unavailable ? .serviceUnavailable : .badRequest)
        }
        return Response(status: .ok, headers: [.cacheControl: "no-store"])
    }
}
