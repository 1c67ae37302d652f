internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `GET /2.0/users/me` and `GET /2.0/users/{id}`: the part of Box's interface that authentication needs.
struct BoxUserRoutes: Sendable {
    static let collection = Routes.box + "users"

    let checks: Checks

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        [
            Route(.get, Self.collection + "/me", holder, sharing: .clients, handler: me),
            Route(.get, Self.collection + Route.anyName, userByName, sharing: .clients, handler: user),
        ]
    }

    @Sendable private func me(
        _ holder: AccessTokenHolder, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        try await answer(holder, request, context) { subject, _ in subject }
    }

    @Sendable private func user(
        _ asked: (id: String, holder: AccessTokenHolder), _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let address = checks.addresses.address(of: request, context)
        return try await answer(asked.holder, request, context) { subject, token throws(StoreError) in
            try await services.userAccess.user(asked.id, as: subject, of: token, from: address)
        }
    }

    private static let demand = Demand(.accessToken, .error(401, BoxProblem.unauthorized.code))

    private var holder: Check<AccessTokenHolder> { Check(Self.demand, run: holder) }

    private var userByName: Check<(id: String, holder: AccessTokenHolder)> {
        Check { request, context in
            let name = request.target.path.split(separator: "/").last ?? ""
            guard let id = try? FormParameters.percentDecode(name), id.utf8.count <= Limits.nameBytesMax else {
                throw Refused(BoxProblem.notFound.response(context))
            }
            return id
        }.then(Self.demand) { id, request, context in (id, try await holder(request, context)) }
    }

    @Sendable private func holder(_ request: Request, _ context: WebContext) async throws -> AccessTokenHolder {
        do {
            return try await checks.holder(request)
        } catch let refusal as TokenRefusal {
            let problem = refusal.problem?.code == .insufficientScope ? BoxProblem.restricted : .unauthorized
            throw Refused(problem.response(context, headers: refusal.headers))
        }
    }

    private func answer(
        _ holder: AccessTokenHolder, _ request: Request, _ context: WebContext,
        _ find: (UserAccess.Subject, PresentedAccessToken) async throws(StoreError) -> UserAccess.Subject?
    ) async throws -> Response {
        let token = holder.token
        do {
            let subject = try await services.userAccess.subject(
                of: token, actingAs: request.headers[.asUser], from: checks.addresses.address(of: request, context))
            guard let found = try await find(subject, token) else { return BoxProblem.notFound.response(context) }
            return .json(
                BoxUser(
                    found, to: services.clients.client(token.clientID), scope: token.scope, services.userAccess
                ).json(fields: try fields(request)))
        } catch UserAccess.Problem.mayNotAct {
            return BoxProblem.mayNotAct.response(context)
        } catch UserAccess.Problem.gone {
            let problem = OAuthProblem(.invalidToken, "the token's subject is gone")
            return BoxProblem.unauthorized.response(context, headers: checks.gate.challenge(problem, holder.shown))
        }
    }

    /// The members that the request wants (`fields=id,name`); `nil`: all.
    private func fields(_ request: Request) throws -> Set<String>? {
        try request.queryParameters().values("fields").first.map { text in
            Set(text.split(separator: ",").prefix(Limits.scopeNamesMax).map(String.init))
        }
    }
}

/// A refusal in Box's form.
struct BoxProblem {
    let status: HTTPResponse.Status
    let code: String
    let message: String

    static let unauthorized = BoxProblem(
        status: .unauthorized, code: "unauthorized", message: "The access token is missing, or not good any more.")
    static let restricted = BoxProblem(
        status: .forbidden, code: "insufficient_scope", message: "The access token is restricted to other objects.")
    static let mayNotAct = BoxProblem(
        status: .forbidden, code: "forbidden", message: "The token may not act for the user that As-User names.")
    static let noSuchAddress = BoxProblem(
        status: .notFound, code: "not_found", message: "There is nothing at this address.")
    static let wrongMethod = BoxProblem(
        status: .methodNotAllowed, code: "method_not_allowed", message: "This address does not take such requests.")
    static let notFound = BoxProblem(
        status: .notFound, code: "not_found", message: "There is no such user, or the token may not see them.")

    func response(_ context: WebContext, headers: HTTPFields = [:]) -> Response {
        let body = JSONWriter.object { json in
            json.member("type", "error")
            json.member("status", Int64(status.code))
            json.member("code", code)
            json.member("message", message)
            json.member("request_id", context.reference)
        }
        return .json(body, status: status, headers: headers)
    }
}
