internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `GET` and `POST /oauth2/userinfo` (OpenID Connect Core §5.3, RFC 6750).
struct UserInfoRoutes: Sendable {
    let services: IdentityServices

    private var gate: AccessTokenGate { AccessTokenGate(services: services) }

    @Sendable func userInfo(_ request: Request, _ context: WebContext) async throws -> Response {
        guard let presented = try await presented(request) else {
            return Response(status: .unauthorized, headers: gate.invitation)
        }
        guard let (token, live) = try await services.inspector.personal(presented.token) else {
            // Their SDK ends its session at this one word.
            let isAuthgear = services.inspector.issued(presented.token)?.readsAuthgearClaims == true
            let code: OAuthProblem.Code = isAuthgear ? .invalidGrant : .invalidToken
            return refusal(
                OAuthProblem(code, "the access token is not good, or no longer"), presented, status: .unauthorized)
        }
        do throws(OAuthProblem) {
            try gate.prove(request, at: Routes.userInfo, presented, token)
        } catch {
            return refusal(error, presented, status: .unauthorized)
        }
        do throws(OAuthProblem) {
            try gate.requireUnrestricted(token)
        } catch {
            return refusal(error, presented)
        }
        guard token.scope.contains(Scope.openID) else {
            return refusal(OAuthProblem(.insufficientScope, "the access token lacks the scope openid"), presented)
        }
        guard services.clients.client(token.clientID)?.readsAuthgearClaims == true,
            let account = try await services.stores.users.account(live.user.id)
        else { return .json(UserClaims.userInfo(live, scope: token.scope).serialized) }
        return .json(AuthgearUserInfo.answer(live, account: account, scope: token.scope).serialized)
    }

    /// The token from the header or from a posted form, and never from both (RFC 6750 §2).
    private func presented(_ request: Request) async throws -> AccessTokenGate.Presented? {
        let found = gate.presented(request)
        guard request.method == .post, request.headers[.contentType] != nil else { return found }
        guard let posted = try await request.formParameters().one("access_token") else { return found }
        guard found == nil else { throw OAuthProblem(.invalidRequest, "the token was sent in two places") }
        return AccessTokenGate.Presented(token: Secret(posted), isProven: false)
    }

    private func refusal(
        _ problem: OAuthProblem, _ presented: AccessTokenGate.Presented, status: HTTPResponse.Status? = nil
    ) -> Response {
        let answer = Response.problem(problem, headers: gate.challenge(problem, presented))
        return Response(status: status ?? answer.status, headers: answer.headers, body: answer.body)
    }
}
