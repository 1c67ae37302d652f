internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import NIOCore
internal import SignIn

/// A request of the methods' wire, taken apart: whose project, who asks, what for, and from where.
struct MethodRequest: Sendable {
    /// Names this project; everything else in it is still only claimed.
    let bearer: ProjectBearer
    /// Without members if there was none.
    let body: MethodBody
    /// The elements of a body that is an array, as a few calls of management have it.
    var elements: [JSONValue] = []
    let query: FormParameters
    let address: NetworkAddress?

    /// The refresh JWT that the caller must present.
    ///
    /// - Throws: 401 if there is none.
    func refreshJWT() throws(MethodProblem) -> Secret {
        guard let token = bearer.refreshJWT else {
            throw .tokenRevoked.saying("The bearer must hold the refresh token of a session")
        }
        return token
    }
}

/// What every route of the methods' wire has in common: the bearer names the project, the body is bounded JSON, and every
/// refusal has the same form.
struct MethodFrame: Sendable {
    let services: IdentityServices
    let addresses: ClientAddress

    /// One answer for a bearer of another form and for another project's.
    static let unknownProject = MethodProblem(
        code: "E011003", description: "The request is invalid",
        message: "The Authorization header must be Bearer with the identifier of this project", status: 401)

    /// A route that answers with JSON.
    ///
    /// - Parameters:
    ///   - takesList: the body may be an array as well, and becomes ``MethodRequest/elements``.
    ///   - run: may throw ``MethodProblem``; what else it throws becomes an answer that tells nothing.
    func route(
        _ method: HTTPRequest.Method, _ path: String, _ checks: [Route.Check] = [], sharing: Route.Sharing = .clients,
        bodyBytesMax: Int = Limits.methodBodyBytesMax, takesList: Bool = false,
        run: @escaping @Sendable (MethodRequest) async throws -> JSONValue
    ) -> Route {
        Route(method: method, path: path, checks: [.project] + checks, sharing: sharing) { request, context in
            do {
                let parsed = try await self.parse(request, context, bodyBytesMax: bodyBytesMax, takesList: takesList)
                return .json(try await run(parsed).serialized)
            } catch {
                return Self.refusal(error, path: path, context)
            }
        }
    }

    private func parse(
        _ request: Request, _ context: WebContext, bodyBytesMax: Int, takesList: Bool
    ) async throws -> MethodRequest {
        guard let header = request.headers[.authorization], let bearer = ProjectBearer(header: header),
            bearer.projectID == services.project.id
        else { throw Self.unknownProject }
        let json = try await Self.json(of: request, bytesMax: bodyBytesMax)
        return MethodRequest(
            bearer: bearer, body: takesList && json.arrayValue != nil ? MethodBody() : try MethodBody(json),
            elements: json.arrayValue ?? [], query: try request.queryParameters(),
            address: addresses.address(of: request, context))
    }

    /// One JSON value; `null` if there is no body.
    private static func json(of request: Request, bytesMax: Int) async throws -> JSONValue {
        let tooLarge = MethodProblem(
            code: "E011001", description: "The request is malformed", message: "The body is too large", status: 413)
        if let length = request.headers[.contentLength].flatMap(Int.init), length > bytesMax { throw tooLarge }
        do {
            let buffer = try await request.body.collect(upTo: bytesMax)
            let limits = JSONValue.Limits(bytesMax: bytesMax, depthMax: Limits.bodyDepthMax)
            guard buffer.readableBytes > 0 else { return .null }
            return try JSONValue(parsing: buffer.readableBytesView, limits: limits)
        } catch is JSONProblem {
            throw MethodProblem.badRequest
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
    }

    /// Any error as this wire says it.
    private static func refusal(_ error: any Error, path: String, _ context: WebContext) -> Response {
        switch error {
        case let problem as MethodProblem: return .problem(problem)
        case let unreadable as Unreadable:
            return .problem(
                MethodProblem(
                    code: "E011001", description: "The request is malformed", message: unreadable.detail,
                    status: unreadable.status.code))
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
    /// Nobody answers there, or not to this method of HTTP.
    static func noSuchAddress(_ message: String, status: Int) -> MethodProblem {
        MethodProblem(code: "E011001", description: "The request is malformed", message: message, status: status)
    }
}

extension Response {
    /// A refusal in the words of the methods' wire. Tells when to come back in whole seconds.
    static func problem(_ problem: MethodProblem) -> Response {
        var headers: HTTPFields = [:]
        if let seconds = problem.retryAfterSeconds { headers[.retryAfter] = String(seconds) }
        return json(problem.json.serialized, status: .init(code: problem.status), headers: headers)
    }
}
