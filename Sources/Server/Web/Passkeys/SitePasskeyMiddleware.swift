internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Logging
internal import Model
internal import SignIn

/// What all routes of the passkey service share: a key in the header names the relying party and the kind of client,
/// the body is a bounded JSON object, and every answer is an envelope.
struct SitePasskeyMiddleware: Sendable {
    let checks: Checks

    var services: IdentityServices { checks.services }

    /// A call by pages and apps, at its current path and the older one.
    func pageRoutes<Body: PasskeyMessage>(
        _ route: PasskeyRoute, _ body: Body.Type,
        run: @escaping @Sendable (Body, RelyingPartyPage) async throws -> JSONValue
    ) -> [Route] {
        precondition(route.isForClients, "a call of backends")
        return routes(route, body, checks.relyingPartyPage, sharing: .sites, run)
    }

    /// A call by backends.
    func backendRoutes<Body: PasskeyMessage>(
        _ route: PasskeyRoute, _ body: Body.Type,
        run: @escaping @Sendable (Body, RelyingPartyBackend) async throws -> JSONValue
    ) -> [Route] {
        precondition(!route.isForClients, "a call of pages and apps")
        return routes(route, body, checks.relyingPartyBackend, sharing: .none, run)
    }

    private func routes<Body: PasskeyMessage, Caller: RelyingPartyCaller>(
        _ route: PasskeyRoute, _ body: Body.Type, _ check: Check<Caller>, sharing: Route.Sharing,
        _ run: @escaping @Sendable (Body, Caller) async throws -> JSONValue
    ) -> [Route] {
        route.paths.map { path in
            let refusal = { @Sendable (error: any Error, _: Request, context: WebContext) in
                Self.refusal(error, path: path, context)
            }
            return Route(.post, path, check.refusing(refusal), sharing: sharing) { caller, request, context in
                do {
                    let json = try await Self.body(of: request, to: route)
                    let result = try await run(try Body(json: json), caller)
                    let warnings = caller.warnings + SiteWarnings.warnings(request, at: path, of: route, json)
                    return .envelope(PasskeyEnvelope(result: result, warnings: warnings))
                } catch {
                    return refusal(error, request, context)
                }
            }
        }
    }

    private static func body(of request: Request, to route: PasskeyRoute) async throws -> JSONValue {
        let limit = route == .credentialImport ? Limits.passkeyImportBytesMax : Limits.passkeyBodyBytesMax
        do {
            guard let json = try await request.json(max: limit) else { throw PasskeyMessageProblem(.notJSON) }
            return json
        } catch is JSONProblem {
            throw PasskeyMessageProblem(.notJSON)
        }
    }

    private static func refusal(_ error: any Error, path: String, _ context: WebContext) -> Response {
        switch error {
        case let refusal as SiteRefusal: return .envelope(refusal)
        case let unreadable as Unreadable:
            return .envelope(SiteRefusal(.invalidInput, unreadable.status.code, unreadable.sentence))
        case let problem as PasskeyMessageProblem: return .envelope(SiteRefusal(.invalidInput, 400, problem.message))
        case let problem as SiteProblem: return .envelope(SiteRefusal(problem))
        case let problem as SiteImportProblem: return .envelope(SiteRefusal(problem))
        case let error as StoreError:
            context.logger.error("store failed", metadata: ["route": "\(path)", "code": "\(error)"])
            return .envelope(
                SiteRefusal(
                    "ServiceUnavailable", 503, "The server cannot reach its database: try again", retryAfterSeconds: 1))
        default:
            context.logger.error("unexpected failure", metadata: ["route": "\(path)", "type": "\(type(of: error))"])
            return .envelope(SiteRefusal("InternalError", 500, "Something unexpected happened"))
        }
    }
}
