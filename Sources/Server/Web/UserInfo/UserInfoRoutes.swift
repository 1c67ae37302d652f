internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `GET` and `POST /oauth2/userinfo` (OpenID Connect Core §5.3, RFC 6750).
struct UserInfoRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        [
            Route(.get, Routes.userInfo, holder, sharing: .clients, handler: userInfo),
            Route(.post, Routes.userInfo, holder, sharing: .clients, handler: userInfo),
        ]
    }

    @Sendable private func userInfo(_ holder: PersonalTokenHolder) async throws -> Response {
        let (token, live) = (holder.token, holder.live)
        guard let client = services.clients.client(token.clientID) else { throw Refused(refusal(gone, holder.shown)) }
        let more = client.readsAuthgearClaims ? AuthgearUserInfo.claims(token.scope) : []
        var told = try await claims.userInfo(live, to: client, by: token, adding: more)
        guard client.readsAuthgearClaims || client.allows(.anonymousRequest),
            let account = try await services.stores.users.account(live.user.id)
        else { return .json(JSONValue.object(told).serialized) }
        if client.readsAuthgearClaims {
            return .json(AuthgearUserInfo.answer(told, account: account, scope: token.scope).serialized)
        }
        told[AuthgearNames.isAnonymous] = .bool(account.user.isAnonymous)
        return .json(JSONValue.object(told).serialized)
    }

    private var claims: ClaimRelease { ClaimRelease(stores: services.stores) }
    private var gone: OAuthProblem { OAuthProblem(.invalidToken, "the client of the access token is gone") }

    /// A person's token for `openid`, from the header or a form.
    private var holder: Check<PersonalTokenHolder> {
        Check(.accessToken) { request, _ in
            guard let shown = try await checks.shownTokenOrForm(request) else { throw checks.noToken }
            var status: HTTPResponse.Status? = .unauthorized
            do {
                guard let holder = try await checks.personalHolder(shown, request, at: Routes.userInfo) else {
                    // Authgear's SDK ends its session at exactly this error.
                    let isAuthgear = services.inspector.issued(shown.token)?.readsAuthgearClaims == true
                    let code: OAuthProblem.Code = isAuthgear ? .invalidGrant : .invalidToken
                    throw OAuthProblem(code, "the access token is not good, or no longer")
                }
                status = nil
                try checks.gate.requireUnrestricted(holder.token)
                guard holder.token.scope.contains(Scope.openID) else {
                    throw OAuthProblem(.insufficientScope, "the access token lacks the scope openid")
                }
                return holder
            } catch let problem as OAuthProblem {
                throw Refused(refusal(problem, shown, status: status))
            }
        }
    }

    private func refusal(
        _ problem: OAuthProblem, _ shown: ShownAccessToken, status: HTTPResponse.Status? = nil
    ) -> Response {
        let answer = Response.problem(problem, headers: checks.gate.challenge(problem, shown))
        return Response(status: status ?? answer.status, headers: answer.headers, body: answer.body)
    }
}
