internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// `GET` and `POST /oauth2/userinfo` (OpenID Connect Core §5.3, RFC 6750).
struct UserInfoRoutes: Sendable {
    let services: IdentityServices

    @Sendable func userInfo(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let token = try await bearer(request) else {
            return Response(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer", .cacheControl: "no-store"])
        }
        guard let (presented, live) = try await services.inspector.personal(token) else {
            return challenge(.unauthorized, .invalidToken, "the access token is not good, or no longer")
        }
        guard presented.scope.contains(Scope.openID) else {
            return challenge(.forbidden, .insufficientScope, "the access token lacks the scope openid")
        }
        return .json(UserClaims.userInfo(live, scope: presented.scope).serialized)
    }

    /// The token from the header or from a posted form; never from the address, and never from both (RFC 6750 §2).
    private func bearer(_ request: Request) async throws -> Secret? {
        var found: Secret?
        if let header = request.headers[.authorization] {
            let parts = header.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "bearer" {
                found = Secret(String(parts[1].drop { $0 == " " }))
            }
        }
        guard request.method == .post, request.headers[.contentType] != nil else { return found }
        guard let posted = try await request.formParameters().one("access_token") else { return found }
        guard found == nil else { throw OAuthProblem(.invalidRequest, "the token was sent in two places") }
        return Secret(posted)
    }

    private func challenge(_ status: HTTPResponse.Status, _ code: OAuthProblem.Code, _ text: String) -> Response {
        let value = "Bearer error=\"\(code.rawValue)\", error_description=\"\(text)\""
        let problem = Response.problem(OAuthProblem(code, text), headers: [.wwwAuthenticate: value])
        return Response(status: status, headers: problem.headers, body: problem.body)
    }
}
