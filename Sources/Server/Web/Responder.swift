internal import Authority
internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnWire
internal import Logging
internal import Model
internal import NIOCore
internal import OAuth
internal import SCIM
internal import SignIn

/// Finds the route, and does what holds for every answer: errors become problems or pages, sharing is declared, and
/// the request is counted.
struct Responder: Sendable {
    typealias Context = WebContext

    private let routes: RoutePaths
    private let clients: ClientDirectory
    private let parties: RelyingParties
    private let proofs: DPoPChecker
    private let presenter: Presenter
    private let metrics: RequestMetrics
    /// `nil` unless requests are traced.
    private let traces: RequestTraces?
    private let readiness: Readiness
    private let strictTransport: Bool

    init(_ table: [Route], services: IdentityServices, presenter: Presenter, metrics: RequestMetrics) {
        traces = RequestTraces()
        routes = RoutePaths(table)
        clients = services.clients
        parties = services.methods.passkeys.parties
        proofs = services.dpop
        self.presenter = presenter
        self.metrics = metrics
        readiness = services.readiness
        strictTransport = services.project.issuer.hasPrefix("https://")
    }

    func respond(to request: Request, context: WebContext) async -> Response {
        let start = ContinuousClock.now
        let methods = routes.methods(at: request.target.path)
        let route = methods[request.method] ?? (request.method == .head ? methods[.get] : nil)
        metrics.begin(start)
        guard let traces else { return await measured(request, context, route, methods, since: start) }
        return await traces.trace(request, route, context) { await measured(request, $0, route, methods, since: start) }
    }

    /// The time is recorded inside the trace, so that a histogram's exemplar can name it.
    private func measured(
        _ request: Request, _ context: WebContext, _ route: Route?, _ methods: [HTTPRequest.Method: Route],
        since start: ContinuousClock.Instant
    ) async -> Response {
        let response = await respond(to: request, context, route, methods)
        metrics.end(
            route: route?.path, method: request.method, status: response.status,
            duration: ContinuousClock.now - start)
        return response
    }

    private func respond(
        to request: Request, _ context: WebContext, _ route: Route?, _ methods: [HTTPRequest.Method: Route]
    ) async -> Response {
        var response: Response
        if let route {
            response = await answer(request, context, route)
        } else if request.method == .options, let shared = methods.values.first(where: { $0.sharing != .none }) {
            response = preflight(request, shared, methods)
        } else {
            response = nothing(request, context, methods)
        }
        if let route { share(&response, request, route.sharing) }
        response.headers[.xContentTypeOptions] = "nosniff"
        if let route, FederationRoutes.owns(route.path) { isolate(&response) }
        if strictTransport { response.headers[.strictTransportSecurity] = "max-age=31536000; includeSubDomains" }
        // The next request of the same client should find another server.
        if readiness.isStopping { response.headers[.connection] = "close" }
        return response
    }

    /// No other site frames the answer, or reaches its window: also not a redirect, and not an error.
    private func isolate(_ response: inout Response) {
        response.headers[.crossOriginOpenerPolicy] = "same-origin"
        response.headers[.xFrameOptions] = "DENY"
    }

    private func answer(_ request: Request, _ context: WebContext, _ route: Route) async -> Response {
        do {
            return try await route.handler(request, context)
        } catch let refused as Refused {
            return refused.response
        } catch let refusal as TokenRefusal {
            return refusal.response
        } catch let problem as PageProblem {
            let look = presenter.look(request, uiLocales: problem.uiLocales, colorScheme: problem.colorScheme)
            return presenter.error(
                problem.errorPage, problem.detail, status: problem.status, request, context, look: look)
        } catch is ProviderIsBusy {
            var response = presenter.error(
                .serverTrouble, ProviderIsBusy.detail, status: .serviceUnavailable, request, context)
            response.headers[.retryAfter] = String(Limits.verificationRetrySeconds)
            return response
        } catch let problem as OAuthProblem {
            return refused(problem, request, context, route)
        } catch let unreadable as Unreadable {
            return unread(unreadable, request, context, route)
        } catch is FormProblem {
            return unread(Unreadable(status: .badRequest, detail: "a parameter is sent twice"), request, context, route)
        } catch let error as StoreError where error.code == .forbidden {
            return refused(
                OAuthProblem(.invalidRequest, "the account has changed meanwhile, or this session may not do that"),
                request, context, route)
        } catch let error as StoreError {
            context.logger.error("store failed", metadata: ["route": "\(route.path)", "code": "\(error)"])
            return refused(
                OAuthProblem(.temporarilyUnavailable, "the server cannot reach its database: try again"), request,
                context,
                route)
        } catch {
            context.logger.error(
                "unexpected failure", metadata: ["route": "\(route.path)", "type": "\(type(of: error))"])
            return refused(OAuthProblem(.serverError, "something unexpected happened"), request, context, route)
        }
    }

    private func refused(_ problem: OAuthProblem, _ request: Request, _ context: WebContext, _ route: Route) -> Response
    {
        guard !route.isPage else {
            let isOurs = problem.code == .serverError || problem.code == .temporarilyUnavailable
            return presenter.error(
                isOurs ? .serverTrouble : .badRequest, problem.description ?? problem.code.rawValue,
                status: isOurs ? .serviceUnavailable : .badRequest, request, context)
        }
        var headers: HTTPFields = [:]
        if [.invalidDPoPProof, .useDPoPNonce].contains(problem.code) { headers[.dpopNonce] = proofs.nonce() }
        let isChallenged = problem.code == .invalidClient && Checks.usesBasic(request)
        if isChallenged { headers[.wwwAuthenticate] = "Basic realm=\"keyturn\"" }
        var response = Response.problem(problem, headers: headers)
        // FAPI 2.0's test suite wants 401 for each failed client authentication at PAR (RFC 9126 §2.3).
        if isChallenged || problem.code == .invalidClient && route.path == Routes.pushedRequests {
            response.status = .unauthorized
        }
        return response
    }

    private func unread(_ unreadable: Unreadable, _ request: Request, _ context: WebContext, _ route: Route) -> Response
    {
        guard !route.isPage else {
            let kind: ErrorPage.Kind =
                switch unreadable.status {
                case .contentTooLarge, .uriTooLong: .tooLarge
                case .notFound: .notFound
                default: .badRequest
                }
            return presenter.error(kind, unreadable.detail, status: unreadable.status, request, context)
        }
        let problem = Response.problem(OAuthProblem(.invalidRequest, unreadable.detail))
        return Response(status: unreadable.status, headers: problem.headers, body: problem.body)
    }

    private func nothing(
        _ request: Request, _ context: WebContext, _ methods: [HTTPRequest.Method: Route]
    ) -> Response {
        let nothing = "There is nothing at this address."
        let wrongMethod = "This address does not take \(request.method.rawValue.prefix(16)) requests."
        if PasskeyRoute(path: request.target.path) != nil {
            var response = Response.envelope(SiteRefusal(.invalidInput, 405, wrongMethod))
            response.headers[.allow] = HTTPRequest.Method.post.rawValue
            return response
        }
        if request.target.path.hasPrefix(Routes.box) {
            var response = (methods.isEmpty ? BoxProblem.noSuchAddress : .wrongMethod).response(context)
            if !methods.isEmpty {
                response.headers[.allow] = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            }
            return response
        }
        if request.target.path.hasPrefix(ProvisioningRoutes.base + "/") {
            var response = Response.provisioning(
                methods.isEmpty ? .refusal(404, nothing) : .refusal(405, wrongMethod))
            if !methods.isEmpty {
                response.headers[.allow] = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
            }
            return response
        }
        // Clients of these addresses are programs, which read only JSON.
        let isForPrograms = ["/v1/", "/v2/", KeyServicePaths.root, KeyServicePaths.realms].contains {
            request.target.path.hasPrefix($0)
        }
        guard !methods.isEmpty else {
            guard !isForPrograms else { return .problem(.noSuchAddress(nothing, status: 404)) }
            return presenter.error(.notFound, nothing, status: .notFound, request, context)
        }
        var response =
            isForPrograms
            ? .problem(.noSuchAddress(wrongMethod, status: 405))
            : presenter.error(.methodNotAllowed, wrongMethod, status: .methodNotAllowed, request, context)
        response.headers[.allow] = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
        return response
    }

    private func share(_ response: inout Response, _ request: Request, _ sharing: Route.Sharing) {
        guard sharing == .clients || sharing == .sites else { return }
        response.headers[.vary] = "Origin"
        // The handler decides whether the key belongs to that origin.
        if let origin = request.headers[.origin],
            sharing == .sites ? parties.party(origin: origin) != nil : clients.isKnownOrigin(origin)
        {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlExposeHeaders] = "WWW-Authenticate, Retry-After, DPoP-Nonce"
        }
    }

    private func preflight(_ request: Request, _ route: Route, _ methods: [HTTPRequest.Method: Route]) -> Response {
        var response = Response(status: .noContent)
        if route.sharing == .anybody { response.headers[.accessControlAllowOrigin] = "*" }
        share(&response, request, route.sharing)
        guard response.headers[.accessControlAllowOrigin] != nil else { return response }
        response.headers[.accessControlAllowMethods] = methods.keys.map(\.rawValue).sorted().joined(separator: ", ")
        response.headers[.accessControlAllowHeaders] =
            route.sharing == .sites ? "Authorization, Content-Type, Accept, X-SDK" : "Authorization, Content-Type, DPoP"
        response.headers[.accessControlMaxAge] = "600"
        return response
    }
}

extension PageProblem {
    fileprivate var errorPage: ErrorPage.Kind {
        switch kind {
        case .expired: .expired
        case .crossSite: .cookiesBlocked
        case .consoleRole: .roleMissing
        }
    }
}
