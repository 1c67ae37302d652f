internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth

/// `GET /2.0/users/me` and `GET /2.0/users/{id}`: as much of Box's interface as authentication needs.
struct BoxUserRoutes: Sendable {
    /// What everything of Box's interface begins with.
    static let prefix = "/2.0/"
    static let collection = prefix + "users"

    let services: IdentityServices
    let addresses: ClientAddress

    private var gate: AccessTokenGate { AccessTokenGate(services: services) }

    var routes: [Route] {
        [
            Route(method: .get, path: Self.collection + "/me", checks: [.accessToken], sharing: .clients, handler: me),
            Route(
                method: .get, path: Self.collection + Route.anyName, checks: [.accessToken], sharing: .clients,
                handler: user),
        ]
    }

    @Sendable private func me(_ request: Request, _ context: WebContext) async throws -> Response {
        try await answer(request, context) { subject, _ in subject }
    }

    @Sendable private func user(_ request: Request, _ context: WebContext) async throws -> Response {
        let name = request.uri.path.split(separator: "/").last ?? ""
        guard let id = try? FormParameters.percentDecode(name), id.utf8.count <= Limits.nameBytesMax else {
            return BoxProblem.notFound.response(context)
        }
        let address = addresses.address(of: request, context)
        return try await answer(request, context) { subject, token throws(StoreError) in
            try await services.userAccess.user(id, as: subject, of: token, from: address)
        }
    }

    private func answer(
        _ request: Request, _ context: WebContext,
        _ find: (UserAccess.Subject, PresentedAccessToken) async throws(StoreError) -> UserAccess.Subject?
    ) async throws -> Response {
        guard let presented = gate.presented(request) else {
            return BoxProblem.unauthorized.response(context, headers: gate.invitation)
        }
        guard let token = try await services.inspector.accepted(presented.token) else {
            let problem = OAuthProblem(.invalidToken, "the access token is not good, or no longer")
            return BoxProblem.unauthorized.response(context, headers: gate.challenge(problem, presented))
        }
        do throws(OAuthProblem) {
            try gate.prove(request, at: request.uri.path, presented, token)
            try gate.requireUnrestricted(token)
        } catch {
            let problem = error.code == .insufficientScope ? BoxProblem.restricted : .unauthorized
            return problem.response(context, headers: gate.challenge(error, presented))
        }
        do {
            let subject = try await services.userAccess.subject(
                of: token, actingAs: request.headers[.asUser], from: addresses.address(of: request, context))
            guard let found = try await find(subject, token) else { return BoxProblem.notFound.response(context) }
            return .json(BoxUser(found, scope: token.scope, services.userAccess).json(fields: try fields(request)))
        } catch UserAccess.Problem.mayNotAct {
            return BoxProblem.mayNotAct.response(context)
        } catch UserAccess.Problem.gone {
            let problem = OAuthProblem(.invalidToken, "the token's subject is gone")
            return BoxProblem.unauthorized.response(context, headers: gate.challenge(problem, presented))
        }
    }

    /// The members that the request names (`fields=id,name`); `nil`: all.
    private func fields(_ request: Request) throws -> Set<String>? {
        try request.queryParameters().values("fields").first.map { text in
            Set(text.split(separator: ",").prefix(Limits.scopeNamesMax).map(String.init))
        }
    }
}

/// A refusal in Box's own form.
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
