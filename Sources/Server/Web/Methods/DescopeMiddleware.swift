internal import Authority
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import OAuth
internal import SignIn

/// A parsed request of the methods' interface: its project, its body, and the client's address.
struct MethodRequest: Sendable {
    let bearer: ProjectBearerHolder
    /// Empty if the request has no body.
    let body: MethodBody
    /// The elements of a body that is an array, which a few management calls use.
    let elements: [JSONValue]
    let query: FormParameters
    let address: NetworkAddress?
    /// What the request says that it comes from, such as `Safari on iPhone`; `nil`: nothing that is known.
    let device: String?
    /// The kind of client, as ``ClientKind`` tells it.
    let clientKind: String
}

/// Who sets something up on the methods' wire.
enum SessionOrPending: Sendable {
    case session(LiveSession)
    /// The user has shown a first factor, and has no session yet.
    case pending(PendingSignIn)
}

/// What all routes of the methods' interface share: the bearer names the project, the body is bounded JSON, and every
/// refusal has the same form.
struct DescopeMiddleware: Sendable {
    let checks: Checks

    var services: IdentityServices { checks.services }

    /// A route that needs only the project, and answers with JSON.
    ///
    /// - Parameter run: may throw ``MethodProblem``; other errors become an answer that reveals nothing.
    func route(
        _ method: HTTPRequest.Method, _ path: String, bodyBytesMax: Int = Limits.methodBodyBytesMax,
        run: @escaping @Sendable (MethodRequest) async throws -> JSONValue
    ) -> Route {
        route(method, path, project(bodyBytesMax: bodyBytesMax), run: run)
    }

    /// A route that needs a session.
    ///
    /// - Parameter read: parses the request, before the session is checked.
    func sessionRoute<Asked: Sendable>(
        _ method: HTTPRequest.Method, _ path: String,
        reading read: @escaping @Sendable (MethodRequest) throws -> Asked,
        run: @escaping @Sendable (Asked, LiveSession, MethodRequest) async throws -> JSONValue
    ) -> Route {
        let check = project().then { request, _, _ in (request, try read(request)) }
            .then(.refreshToken) { both, _, _ in (both.0, both.1, try await checks.session(both.0.bearer)) }
        return route(method, path, check) {
            (all: (MethodRequest, Asked, LiveSession)) in
            try await run(all.1, all.2, all.0)
        }
    }

    /// A route that needs a session and no parameters.
    func sessionRoute(
        _ method: HTTPRequest.Method, _ path: String,
        run: @escaping @Sendable (LiveSession) async throws -> JSONValue
    ) -> Route {
        sessionRoute(method, path, reading: { _ in true }, run: { _, session, _ in try await run(session) })
    }

    /// The user of a session, or of a sign-in that waits for a second factor.
    var sessionOrPending: Check<(String, SessionOrPending, MethodRequest)> {
        project().then { request, _, _ in (request, try request.body.requiredText("loginId")) }
            .then(.refreshToken) { both, _, _ in
                if let pending = try checks.pendingSignIn(both.0.bearer) { return (both.1, .pending(pending), both.0) }
                return (both.1, .session(try await checks.session(both.0.bearer)), both.0)
            }
    }

    /// A route with its own check, which begins with ``project(bodyBytesMax:takesList:)``.
    func route<Value>(
        _ method: HTTPRequest.Method, _ path: String, _ check: Check<Value>, sharing: Route.Sharing = .clients,
        run: @escaping @Sendable (Value) async throws -> JSONValue
    ) -> Route {
        let refusal = { @Sendable (error: any Error, _: Request, context: WebContext) -> Response in
            self.refusal(error, path: path, context)
        }
        return Route(method, path, check.refusing(refusal), sharing: sharing) { value, request, context in
            do {
                return .json(try await run(value).serialized)
            } catch {
                return refusal(error, request, context)
            }
        }
    }

    /// Checks that the bearer names the project and the body is JSON.
    ///
    /// - Parameters:
    ///   - takesList: whether the body may be an array, which becomes ``MethodRequest/elements``.
    ///   - read: reads the bearer; `nil`: it must name the project.
    func project(
        bodyBytesMax: Int = Limits.methodBodyBytesMax, takesList: Bool = false,
        bearer read: (@Sendable (Request) throws -> ProjectBearerHolder)? = nil
    ) -> Check<MethodRequest> {
        Check(.project) { request, context in
            let bearer = try read?(request) ?? checks.project(request)
            let json = try await Self.json(of: request, bytesMax: bodyBytesMax)
            return MethodRequest(
                bearer: bearer, body: takesList && json.arrayValue != nil ? MethodBody() : try MethodBody(json),
                elements: json.arrayValue ?? [], query: try request.queryParameters(),
                address: checks.addresses.address(of: request, context),
                device: DeviceName.of(request.headers[.userAgent]),
                clientKind: ClientKind.of(request.headers[.userAgent]))
        }
    }

    /// One JSON value; `null` if there is no body.
    private static func json(of request: Request, bytesMax: Int) async throws -> JSONValue {
        do {
            return try await request.json(max: bytesMax) ?? .null
        } catch is JSONProblem {
            throw MethodProblem.badRequest
        }
    }

    /// The answer to a DPoP proof of an app's session: the standard's own code, and a nonce for the next one
    /// (RFC 9449 §8).
    private func proofRefusal(_ problem: OAuthProblem) -> Response {
        var response = Response.problem(
            MethodProblem(
                code: .init(rawValue: problem.code.rawValue), description: "The proof of the session's key is refused",
                message: problem.description ?? "", status: 401))
        response.headers[.dpopNonce] = services.dpop.nonce()
        return response
    }

    /// The answer for any error.
    private func refusal(_ error: any Error, path: String, _ context: WebContext) -> Response {
        switch error {
        case let refused as Refused: return refused.response
        case let problem as MethodProblem: return .problem(problem)
        case let problem as OAuthProblem: return proofRefusal(problem)
        case let unreadable as Unreadable:
            return .problem(
                MethodProblem(
                    code: "E011001", description: "The request is malformed", message: unreadable.detail,
                    status: unreadable.status.code))
        case let denial as Denial: return .problem(MethodProblem(denial))
        case let error as StoreError where error.code == .forbidden:
            return .problem(MethodProblem(error.cause as? Denial ?? .refused(.overtaken)))
        case let error as StoreError:
            context.logger.error("store failed", metadata: ["route": "\(path)", "code": "\(error)"])
            return .problem(.unavailable)
        case is HashingPool.Saturated: return .problem(.unavailable)
        default:
            context.logger.error("unexpected failure", metadata: ["route": "\(path)", "type": "\(type(of: error))"])
            return .problem(
                MethodProblem(code: "E011011", description: "Something unexpected happened", status: 500))
        }
    }
}

extension MethodProblem {
    /// No route has this address, or none with this HTTP method.
    static func noSuchAddress(_ message: String, status: Int) -> MethodProblem {
        MethodProblem(code: "E011001", description: "The request is malformed", message: message, status: status)
    }
}

extension Response {
    /// A refusal in the form of the methods' interface. `Retry-After` is in whole seconds.
    static func problem(_ problem: MethodProblem) -> Response {
        var headers: HTTPFields = [:]
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        return json(problem.json.serialized, status: .init(code: problem.status), headers: headers)
    }
}
