internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import KeyturnWire
internal import Logging
internal import Model
internal import NIOCore
internal import SignIn

/// What every route of the passkey service's wire has in common: a key in the header names the relying party and who
/// asks, the body is a bounded JSON object, and every answer is an envelope.
struct SitePasskeyFrame: Sendable {
    let services: IdentityServices

    var parties: RelyingParties { services.methods.passkeys.parties }

    /// Each path of a route, under its current name and the older one.
    func routes<Body: PasskeyMessage>(
        _ route: PasskeyRoute, _ body: Body.Type,
        run: @escaping @Sendable (Body, RelyingParty) async throws -> JSONValue
    ) -> [Route] {
        let check: Route.Check = route.isForClients ? .publishableKey : .secretKey
        return route.paths.map { path in
            Route(method: .post, path: path, checks: [check], sharing: route.isForClients ? .sites : .none) {
                request, context in
                do {
                    let party = try self.party(request, route)
                    let body = try await Self.body(of: request, as: Body.self)
                    return .envelope(PasskeyEnvelope(result: try await run(body, party)))
                } catch {
                    return Self.refusal(error, path: path, context)
                }
            }
        }
    }

    /// Whose request it is. A key in the other's place is no key.
    private func party(_ request: Request, _ route: PasskeyRoute) throws(SiteRefusal) -> RelyingParty {
        guard let key = request.headers[.authorization].flatMap(PasskeyKey.init(header:)) else {
            throw SiteRefusal(
                .invalidAuthorizationHeader, 401,
                "Send Basic authentication: a publishable key as the user name, a secret key as the password")
        }
        switch key {
        case .publishable(let key):
            guard let party = parties.party(publishableKey: key) else {
                throw SiteRefusal(.publishableKeyNotFound, 401, "There is no such publishable key")
            }
            guard route.isForClients else { throw Self.wrongKey }
            try requireOrigin(request, of: party)
            return party
        case .secret(let key):
            guard let party = parties.party(secretKey: key) else {
                throw SiteRefusal(.secretKeyNotFound, 401, "There is no such secret key")
            }
            guard !route.isForClients else { throw Self.wrongKey }
            return party
        }
    }

    private static let wrongKey = SiteRefusal(.permissionViolation, 403, "This key may not make this call")

    /// Browsers say where a page is. One of another site may not use the key; apps say nothing.
    private func requireOrigin(_ request: Request, of party: RelyingParty) throws(SiteRefusal) {
        guard let origin = request.headers[.origin], !party.admits(origin: origin) else { return }
        throw SiteRefusal(.permissionViolation, 403, "The key is not for pages of this origin")
    }

    private static func body<Body: PasskeyMessage>(of request: Request, as type: Body.Type) async throws -> Body {
        let limit = Limits.passkeyBodyBytesMax
        let tooLarge = SiteRefusal(.invalidInput, 413, "The body is too large")
        if let length = request.headers[.contentLength].flatMap(Int.init), length > limit { throw tooLarge }
        do {
            let buffer = try await request.body.collect(upTo: limit)
            return try Body(
                parsing: buffer.readableBytesView, limits: .init(bytesMax: limit, depthMax: Limits.bodyDepthMax))
        } catch is NIOTooManyBytesError {
            throw tooLarge
        }
    }

    private static func refusal(_ error: any Error, path: String, _ context: WebContext) -> Response {
        switch error {
        case let refusal as SiteRefusal: return .envelope(refusal)
        case let problem as PasskeyMessageProblem: return .envelope(SiteRefusal(.invalidInput, 400, problem.message))
        case let problem as SiteProblem: return .envelope(SiteRefusal(problem))
        case let error as StoreError:
            context.logger.error("store failed", metadata: ["route": "\(path)", "code": "\(error)"])
            return .envelope(SiteRefusal("ServiceUnavailable", 503, "The server cannot reach its database: try again"))
        default:
            context.logger.error("unexpected failure", metadata: ["route": "\(path)", "type": "\(type(of: error))"])
            return .envelope(SiteRefusal("InternalError", 500, "Something unexpected happened"))
        }
    }
}

/// Why the passkey service's wire refuses, with the status that goes with it.
struct SiteRefusal: Error {
    let error: PasskeyServiceError
    let status: Int

    init(_ code: PasskeyErrorCode, _ status: Int, _ message: String) {
        error = PasskeyServiceError(code: code, message: message)
        self.status = status
    }

    init(_ problem: SiteProblem) {
        switch problem {
        case .passkey(.deactivated):
            self.init(.usingDeactivatedCredential, 403, "The credential is switched off")
        case .passkey(let problem): self.init(.invalidInput, 400, Self.sentence(problem))
        case .nameInvalid: self.init(.invalidInput, 400, "The name is empty or too long")
        case .tokenUnknown:
            self.init(.tokenNotFound, 404, "The token is unknown, was redeemed before, or is of the other kind")
        case .tokenExpired: self.init(.tokenExpired, 400, "The token was redeemed too late")
        case .unknown: self.init(.entityNotFound, 404, "There is no such credential")
        case .usernameDiffers: self.init(.usernameCannotChange, 409, "The user has another username already")
        case .usernameTaken:
            self.init(.usernameInUseByDifferentAccount, 409, "Another user has that username")
        }
    }

    /// The same for everything that could tell whose credential it was.
    private static func sentence(_ problem: PasskeyProblem) -> String {
        switch problem {
        case .malformed: "The credential field is not a credential"
        case .challengeUnknown: "The challenge is not one of this relying party's for that user: ask for options first"
        case .challengeExpired: "The challenge has expired: ask for options again"
        case .challengeSpent: "The challenge was answered before: ask for options again"
        case .credentialTaken: "The credential is registered already"
        case .tooMany: "The user has too many credentials: delete one first"
        case .overtaken: "The credential was changed or used at the same moment: try again"
        case .refused(let problem) where problem.rule == .originNotAllowed:
            "The page's origin is not one of this relying party's"
        case .refused, .credentialUnknown, .deactivated: "The credential was not accepted"
        }
    }
}

extension Response {
    static func envelope(_ envelope: PasskeyEnvelope) -> Response {
        .json(envelope.json.serialized)
    }

    static func envelope(_ refusal: SiteRefusal) -> Response {
        var headers: HTTPFields = [:]
        if refusal.status == 503 { headers[.retryAfter] = "1" }
        return .json(
            PasskeyEnvelope(refusal: refusal.error).json.serialized, status: .init(code: refusal.status),
            headers: headers)
    }
}
