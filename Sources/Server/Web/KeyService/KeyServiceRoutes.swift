internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import OAuth

/// `/keyservice/v1/…`, and the same below `/auth/realms/{realm}`: what clients of Trifork Identity Manager ask a server for
/// beside OpenID Connect.
///
/// No cookie and no other site's script has any business here, so nothing is shared, and a body must say that it is JSON.
struct KeyServiceRoutes: Sendable {
    private let services: IdentityServices
    private let addresses: ClientAddress

    static let realm = "\(KeyServicePaths.realms.dropLast())\(Route.anyName)"

    init(services: IdentityServices, addresses: ClientAddress) {
        self.services = services
        self.addresses = addresses
    }

    /// None where the operator wants no key service.
    var routes: [Route] {
        guard let service = services.keyService else { return [] }
        return ["", Self.realm].flatMap { realm in
            let root = realm + KeyServicePaths.root
            return [
                route(.post, root + KeyServicePaths.createKey, service, create),
                route(.post, root + KeyServicePaths.key, service, open),
                route(.post, root + KeyServicePaths.changeSecret, service, change),
                route(.post, root + KeyServicePaths.deleteKey, service, delete),
                route(.get, root + KeyServicePaths.keys, service, checks: [.accessToken], list),
                route(
                    .delete, root + KeyServicePaths.keys + Route.anyName, service, checks: [.accessToken], remove),
            ]
        }
    }

    /// One request, as its handler needs it.
    private struct Visit: Sendable {
        let request: Request
        let caller: KeyService.Caller
        let service: KeyService
        let path: String
    }

    private func route(
        _ method: HTTPRequest.Method, _ path: String, _ service: KeyService, checks: [Route.Check] = [],
        _ answer: @escaping @Sendable (Visit) async throws -> Response
    ) -> Route {
        Route(method: method, path: path, checks: checks) { request, context in
            let realm = path.hasPrefix(KeyServicePaths.realms) ? request.names(in: path)[0] : ""
            let caller = KeyService.Caller(realm: realm, address: addresses.address(of: request, context))
            do {
                guard service.knows(realm: realm) else { throw KeyServiceProblem.unknownKey }
                return try await answer(Visit(request: request, caller: caller, service: service, path: path))
            } catch let problem as KeyServiceProblem {
                if problem == .unreadable {
                    context.logger.error(
                        "a data key was sealed with a secret that the server does not have",
                        metadata: ["route": "\(path)"])
                }
                return .refusal(problem)
            } catch let unreadable as Unreadable {
                return .refusal(.invalid(unreadable.detail), status: unreadable.status)
            } catch let problem as OAuthProblem {
                return refusal(problem, request)
            }
        }
    }

    @Sendable private func create(_ visit: Visit) async throws -> Response {
        let names = visit.request.headers[values: .idempotencyKey]
        guard names.count <= 1 else { throw KeyServiceProblem.invalid("the idempotency key is sent twice") }
        let owner = visit.request.headers[.authorization] == nil ? nil : try await owner(visit.request)
        let wish = try await visit.request.keyServiceRequest()
        let answer = try await visit.service.create(wish.secret, owner: owner, name: names.first, from: visit.caller)
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

    @Sendable private func list(_ visit: Visit) async throws -> Response {
        let owner = try await owner(visit.request)
        let keys = try await visit.service.keys(of: owner, in: visit.caller.realm)
        return .json(JSONWriter.object { json in json.member("keys", .array(keys.map(\.json))) })
    }

    @Sendable private func remove(_ visit: Visit) async throws -> Response {
        let owner = try await owner(visit.request, removes: true)
        let id = visit.request.names(in: visit.path).last ?? ""
        guard try await visit.service.remove(id, of: owner, from: visit.caller) else {
            throw KeyServiceProblem.unknownKey
        }
        return .nothingLeft
    }

    /// Who shows an access token of a sign-in of theirs. One that was made from another one, or that somebody acts with,
    /// was made to allow less. Keys of other apps are shown to the operator's own apps after a recent sign-in alone.
    ///
    /// - Parameter removes: what is removed is lost for good, so that a token that was made for less is not enough.
    private func owner(_ request: Request, removes: Bool = false) async throws -> KeyService.Owner {
        guard let presented = gate.presented(request),
            let (token, live) = try await services.inspector.personal(presented.token)
        else { throw OAuthProblem(.invalidToken, "the access token is missing, or not good any more") }
        try gate.prove(request, at: request.uri.path, presented, token)
        try gate.requireUnrestricted(token)
        guard token.ancestors.isEmpty, token.actor == nil else {
            throw OAuthProblem(.insufficientScope, "only the sign-in's own access token opens this")
        }
        let isWhole = token.scope.contains(Scope.openID) && live.grant.scope.isSubset(of: token.scope)
        guard isWhole || !removes else {
            throw OAuthProblem(.insufficientScope, "removing wants openid, and everything that was granted")
        }
        let isRecent = services.ambient.now() < live.grant.authentication.time + Limits.sensitiveSeconds
        return KeyService.Owner(
            userID: live.grant.userID, clientID: token.clientID,
            seesAll: isRecent && isWhole && services.clients.client(token.clientID)?.isFirstParty == true)
    }

    private var gate: AccessTokenGate { AccessTokenGate(services: services) }

    /// What is wrong with an access token.
    private func refusal(_ problem: OAuthProblem, _ request: Request) -> Response {
        let headers = gate.presented(request).map { gate.challenge(problem, $0) } ?? gate.invitation
        var response = Response.problem(problem, headers: headers)
        if problem.code != .insufficientScope { response.status = .unauthorized }
        return response
    }
}

extension KeyServiceRequest {
    /// The long secret, where that is what the request shows.
    fileprivate var onlyLongSecret: Secret? {
        get throws(KeyServiceProblem) {
            guard secret == nil || longSecret == nil else { throw .invalid("send secret or longsecret, not both") }
            return longSecret
        }
    }
}
