internal import Account
internal import HTTPTypes
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

    /// Where the operator wants no key service, they say so.
    var routes: [Route] {
        guard let service = services.keyService else { return refusing }
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

    private var refusing: [Route] {
        let posted = [
            KeyServicePaths.createKey, KeyServicePaths.key, KeyServicePaths.changeSecret, KeyServicePaths.deleteKey,
        ]
        let all: [(HTTPRequest.Method, String)] =
            posted.map { (.post, $0) }
            + [(.get, KeyServicePaths.keys), (.delete, KeyServicePaths.keys + Route.anyName)]
        return ["", Self.realm].flatMap { realm in
            all.map { method, path in
                Route(method, realm + KeyServicePaths.root + path, open: "says that there is no key service") { _, _ in
                    .refusal(KeyServiceProblem.switchedOff)
                }
            }
        }
    }

    /// One request with what its handler needs.
    private struct Call: Sendable {
        let request: Request
        let caller: KeyService.Caller
        let service: KeyService
        let path: String
    }

    /// A route with a check, which runs once the realm is known.
    private func route<Value>(
        _ method: HTTPRequest.Method, _ path: String, _ service: KeyService,
        _ check: @escaping @Sendable (Check<Call>) -> Check<(Call, Value)>,
        _ answer: @escaping @Sendable (Call, Value) async throws -> Response
    ) -> Route {
        let refusal = { @Sendable (error: any Error, request: Request, context: WebContext) in
            self.refusal(error, path, request, context)
        }
        let call = Check { request, context in try self.call(path, service, request, context) }
        return Route(method, path, check(call).refusing(refusal)) { both, request, context in
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
        _ path: String, _ service: KeyService, _ answer: @escaping @Sendable (Call) async throws -> Response
    ) -> Route {
        Route(.post, path, open: "the secret of the key, which the service counts") { request, context in
            do {
                return try await answer(try call(path, service, request, context))
            } catch {
                guard let answer = refusal(error, path, request, context) else { throw error }
                return answer
            }
        }
    }

    private func call(
        _ path: String, _ service: KeyService, _ request: Request, _ context: WebContext
    ) throws(KeyServiceProblem) -> Call {
        let realm = path.hasPrefix(KeyServicePaths.realms) ? request.names(in: path)[0] : ""
        guard service.knows(realm: realm) else { throw .unknownKey }
        let caller = KeyService.Caller(realm: realm, address: checks.addresses.address(of: request, context))
        return Call(request: request, caller: caller, service: service, path: path)
    }

    @Sendable private func create(_ call: Call, _ owner: KeyOwner?) async throws -> Response {
        let name = call.request.headers[.idempotencyKey]
        let wish = try await call.request.keyServiceRequest()
        let answer = try await call.service.create(wish.secret, owner: owner?.owner, name: name, from: call.caller)
        return .json(answer.body)
    }

    @Sendable private func open(_ call: Call) async throws -> Response {
        let wish = try await call.request.keyServiceRequest()
        let answer =
            if let longSecret = try wish.onlyLongSecret {
                try await call.service.open(wish.keyID, longSecret: longSecret, from: call.caller)
            } else {
                try await call.service.open(wish.keyID, secret: wish.secret, from: call.caller)
            }
        return .json(answer.body)
    }

    @Sendable private func change(_ call: Call) async throws -> Response {
        let wish = try await call.request.keyServiceRequest()
        let answer = try await call.service.change(
            wish.keyID, secret: wish.secret, to: wish.newSecret, from: call.caller)
        return .json(answer.body)
    }

    @Sendable private func delete(_ call: Call) async throws -> Response {
        let wish = try await call.request.keyServiceRequest()
        if let longSecret = try wish.onlyLongSecret {
            try await call.service.delete(wish.keyID, longSecret: longSecret, from: call.caller)
        } else {
            try await call.service.delete(wish.keyID, secret: wish.secret, from: call.caller)
        }
        return .nothingLeft
    }

    @Sendable private func list(_ call: Call, _ owner: KeyOwner) async throws -> Response {
        let keys = try await call.service.keys(of: owner.owner, in: call.caller.realm)
        return .json(JSONWriter.object { json in json.member("keys", .array(keys.map(\.json))) })
    }

    @Sendable private func remove(_ call: Call, _ owner: KeyOwner) async throws -> Response {
        let id = call.request.names(in: call.path).last ?? ""
        guard try await call.service.remove(id, of: owner.owner, from: call.caller) else {
            throw KeyServiceProblem.unknownKey
        }
        return .nothingLeft
    }

    /// The owner of the keys, by an access token.
    ///
    /// - Parameter removes: whether something is deleted for good, which a token with fewer rights must not do.
    private func owner(removes: Bool = false) -> @Sendable (Check<Call>) -> Check<(Call, KeyOwner)> {
        { call in
            call.then(Demand(.accessToken, .error(401, OAuthProblem.Code.invalidToken.rawValue))) {
                call, request, _ in
                (call, try await checks.keyOwner(request, removes: removes))
            }
        }
    }

    /// The owner, for a key that may be made without one.
    @Sendable private func shownOwner(_ call: Check<Call>) -> Check<(Call, KeyOwner?)> {
        call.then { call, request, _ in
            guard request.headers[values: .idempotencyKey].count <= 1 else {
                throw KeyServiceProblem.invalid("the idempotency key is sent twice")
            }
            return call
        }.then(
            Demand(
                .shownAccessToken, .error(401, OAuthProblem.Code.invalidToken.rawValue), but: [.missing: .admitted])
        ) { call, request, _ in
            (call, try await checks.keyOwnerIfShown(request))
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
