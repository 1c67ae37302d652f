internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import OAuth

/// `/keyservice/v1/…`, also below `/auth/realms/{realm}`: what clients of Trifork Identity Manager need besides OpenID
/// Connect.
///
/// Cookies and scripts of other sites are never needed: nothing is shared, and a body must be declared as JSON.
struct KeyServiceRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

    static let realm = "\(KeyServicePaths.realms.dropLast())\(Route.anyName)"

    /// Empty if the operator wants no key service.
    var routes: [Route] {
        guard let service = services.keyService else { return [] }
        return ["", Self.realm].flatMap { realm in
            let root = realm + KeyServicePaths.root
            return [
                route(.post, root + KeyServicePaths.createKey, service, shownOwner, create),
                secretRoute(root + KeyServicePaths.key, service, open),
                secretRoute(root + KeyServicePaths.changeSecret, service, change),
                secretRoute(root + KeyServicePaths.deleteKey, service, delete),
                route(.get, root + KeyServicePaths.keys, service, owner(), list),
                route(.delete, root + KeyServicePaths.keys + Route.anyName, service, owner(removes: true), remove),
            ]
        }
    }

    /// One request with what its handler needs.
    private struct Visit: Sendable {
        let request: Request
        let caller: KeyService.Caller
        let service: KeyService
        let path: String
    }

    /// A route with a check, which runs once the realm is known.
    private func route<Value>(
        _ method: HTTPRequest.Method, _ path: String, _ service: KeyService,
        _ check: @escaping @Sendable (Check<Visit>) -> Check<(Visit, Value)>,
        _ answer: @escaping @Sendable (Visit, Value) async throws -> Response
    ) -> Route {
        let refusal = { @Sendable (error: any Error, request: Request, context: WebContext) in
            self.refusal(error, path, request, context)
        }
        let visit = Check { request, context in try self.visit(path, service, request, context) }
        return Route(method, path, check(visit).refusing(refusal)) { both, request, context in
            do {
                return try await answer(both.0, both.1)
            } catch {
                guard let answer = refusal(error, request, context) else { throw error }
                return answer
            }
        }
    }

    /// A route for clients that know the secret of a key: the service checks it, and counts the attempts.
    private func secretRoute(
        _ path: String, _ service: KeyService, _ answer: @escaping @Sendable (Visit) async throws -> Response
    ) -> Route {
        Route(.post, path, open: "the secret of the key, which the service counts") { request, context in
            do {
                return try await answer(try visit(path, service, request, context))
            } catch {
                guard let answer = refusal(error, path, request, context) else { throw error }
                return answer
            }
        }
    }

    private func visit(
        _ path: String, _ service: KeyService, _ request: Request, _ context: WebContext
    ) throws(KeyServiceProblem) -> Visit {
        let realm = path.hasPrefix(KeyServicePaths.realms) ? request.names(in: path)[0] : ""
        guard service.knows(realm: realm) else { throw .unknownKey }
        let caller = KeyService.Caller(realm: realm, address: checks.addresses.address(of: request, context))
        return Visit(request: request, caller: caller, service: service, path: path)
    }

    @Sendable private func create(_ visit: Visit, _ owner: KeyOwner?) async throws -> Response {
        let name = visit.request.headers[.idempotencyKey]
        let wish = try await visit.request.keyServiceRequest()
        let answer = try await visit.service.create(wish.secret, owner: owner?.owner, name: name, from: visit.caller)
        return .json(answer.body)
    }

    @Sendable private func open(_ visit: Visit) async throws -> Response {
        let wish = try await visit.request.keyServiceRequest()
        let answer =
            if let longSecret = try wish.onlyLongSecret {
                try await visit.service.open(wish.keyID, longSecret: longSecret, from: visit.caller)
            } else {
                try await visit.service.open(wish.keyID, secret: wish.secret, from: visit.caller)
            }
        return .json(answer.body)
    }

    @Sendable private func change(_ visit: Visit) async throws -> Response {
        let wish = try await visit.request.keyServiceRequest()
        let answer = try await visit.service.change(
            wish.keyID, secret: wish.secret, to: wish.newSecret, from: visit.caller)
        return .json(answer.body)
    }

    @Sendable private func delete(_ visit: Visit) async throws -> Response {
        let wish = try await visit.request.keyServiceRequest()
        if let longSecret = try wish.onlyLongSecret {
            try await visit.service.delete(wish.keyID, longSecret: longSecret, from: visit.caller)
        } else {
            try await visit.service.delete(wish.keyID, secret: wish.secret, from: visit.caller)
        }
        return .nothingLeft
    }

    @Sendable private func list(_ visit: Visit, _ owner: KeyOwner) async throws -> Response {
        let keys = try await visit.service.keys(of: owner.owner, in: visit.caller.realm)
        return .json(JSONWriter.object { json in json.member("keys", .array(keys.map(\.json))) })
    }

    @Sendable private func remove(_ visit: Visit, _ owner: KeyOwner) async throws -> Response {
        let id = visit.request.names(in: visit.path).last ?? ""
        guard try await visit.service.remove(id, of: owner.owner, from: visit.caller) else {
            throw KeyServiceProblem.unknownKey
        }
        return .nothingLeft
    }

    /// The owner of the keys, by an access token.
    ///
    /// - Parameter removes: whether something is deleted for good, which a token with fewer rights must not do.
    private func owner(removes: Bool = false) -> @Sendable (Check<Visit>) -> Check<(Visit, KeyOwner)> {
        { visit in
            visit.then(Demand(.accessToken, .error(401, OAuthProblem.Code.invalidToken.rawValue))) {
                visit, request, _ in
                (visit, try await checks.keyOwner(request, removes: removes))
            }
        }
    }

    /// The owner, for a key that may be made without one.
    @Sendable private func shownOwner(_ visit: Check<Visit>) -> Check<(Visit, KeyOwner?)> {
        visit.then { visit, request, _ in
            guard request.headers[values: .idempotencyKey].count <= 1 else {
                throw KeyServiceProblem.invalid("the idempotency key is sent twice")
            }
            return visit
        }.then(
            Demand(
                .shownAccessToken, .error(401, OAuthProblem.Code.invalidToken.rawValue), but: [.missing: .admitted])
        ) { visit, request, _ in
            (visit, try await checks.keyOwnerIfShown(request))
        }
    }

    private func refusal(_ error: any Error, _ path: String, _ request: Request, _ context: WebContext) -> Response? {
        switch error {
        case let problem as KeyServiceProblem:
            if problem == .unreadable {
                context.logger.error(
                    "a data key was sealed with a secret that the server does not have",
                    metadata: ["route": "\(path)"])
            }
            return .refusal(problem)
        case let unreadable as Unreadable:
            return .refusal(.invalid(unreadable.detail), status: unreadable.status)
        case let problem as OAuthProblem:
            return refusal(problem, request)
        default: return nil
        }
    }

    /// The answer for an invalid access token.
    private func refusal(_ problem: OAuthProblem, _ request: Request) -> Response {
        let gate = checks.gate
        let headers = checks.shownToken(request).map { gate.challenge(problem, $0) } ?? gate.invitation
        var response = Response.problem(problem, headers: headers)
        if problem.code != .insufficientScope { response.status = .unauthorized }
        return response
    }
}

extension KeyServiceRequest {
    /// The long secret; `nil` if the request shows none.
    fileprivate var onlyLongSecret: Secret? {
        get throws(KeyServiceProblem) {
            guard secret == nil || longSecret == nil else { throw .invalid("send secret or longsecret, not both") }
            return longSecret
        }
    }
}
