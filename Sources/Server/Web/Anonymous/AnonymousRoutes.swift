internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/api/anonymous_user`: users without an account in applications that keep no keys (Authgear's wire).
struct AnonymousRoutes: Sendable {
    let checks: Checks

    private var services: IdentityServices { checks.services }

    var routes: [Route] {
        [
            Route(
                .post, Routes.anonymousSignUp, open: "a new user has nothing to show; the network is counted",
                sharing: .clients, handler: signUp),
            Route(
                .post, Routes.promotionCode,
                open: "the refresh token in the body, and the proof of its key, are checked", sharing: .clients,
                handler: makeCode),
        ]
    }

    /// `POST /api/anonymous_user/signup` with `client_id` and `session_type`. With the `refresh_token` of a session of such
    /// a user there is no new user: the answer has another access token for that session.
    @Sendable private func signUp(_ request: Request, _ context: WebContext) async throws -> Response {
        let body: JSONValue
        switch try await self.body(of: request) {
        case .read(let value): body = value
        case .refused(let problem): return .refused(problem)
        }
        guard let client = body["client_id"]?.stringValue.flatMap(services.clients.client) else {
            return .refused(.invalid("client_id names no client"))
        }
        do {
            let tokens: TokenResponse
            if let token = body["refresh_token"]?.stringValue {
                let session = try await presented(token, request, Routes.anonymousSignUp)
                tokens = try await services.tokens.anonymousTokens(
                    of: session.grant, user: session.account.user, client: client)
            } else {
                tokens = try await services.tokens.anonymousSignUp(
                    client: client, from: checks.addresses.address(of: request, context))
            }
            return .json(
                JSONWriter.object { json in
                    json.member(
                        "result",
                        .object(
                            [
                                "access_token": .string(tokens.accessToken), "token_type": .string(tokens.tokenType),
                                "expires_in": tokens.expiresInSeconds.map(JSONValue.integer),
                                "refresh_token": tokens.refreshToken.map(JSONValue.string),
                            ].compactMapValues(\.self)))
                })
        } catch {
            return try refused(error)
        }
    }

    /// `POST /api/anonymous_user/promotion_code` with `session_type` and the `refresh_token` of an anonymous user's session,
    /// which is not spent.
    @Sendable private func makeCode(_ request: Request, _ context: WebContext) async throws -> Response {
        let body: JSONValue
        switch try await self.body(of: request) {
        case .read(let value): body = value
        case .refused(let problem): return .refused(problem)
        }
        guard let token = body["refresh_token"]?.stringValue else {
            return .refused(.invalid("refresh_token is missing"))
        }
        do {
            let session = try await presented(token, request, Routes.promotionCode)
            guard session.account.user.isAnonymous else {
                return .refused(
                    APIProblem(.forbidden, reason: "UserNotAnonymous", "the user of this session has an account"))
            }
            let made = services.anonymousPromotions.makeCode(for: session.grant)
            let end = Date(timeIntervalSince1970: TimeInterval(made.expiresAt.rawValue)).formatted(.iso8601)
            return .json(
                JSONWriter.object { json in
                    json.member(
                        "result", ["promotion_code": .string(made.code.exposed()), "expire_at": .string(end)])
                })
        } catch {
            return try refused(error)
        }
    }

    private enum Body {
        case read(JSONValue)
        case refused(APIProblem)
    }

    private func body(of request: Request) async throws -> Body {
        guard let body = try await request.jsonObject(max: Limits.anonymousBodyBytesMax) else {
            return .refused(.invalid("the body is a JSON object"))
        }
        switch body[AnonymousNames.sessionType]?.stringValue {
        case AnonymousNames.refreshTokenSession: return .read(body)
        case AnonymousNames.cookieSession:
            return .refused(
                APIProblem(
                    .badRequest, reason: "SessionTypeNotSupported",
                    "this server keeps no anonymous users in cookies: session_type is refresh_token"))
        default: return .refused(.invalid("session_type is refresh_token"))
        }
    }

    private func presented(_ token: String, _ request: Request, _ path: String) async throws -> PresentedRefresh {
        let session = try await services.sessions.presented(
            Secret(token), request.proofPresentation(services.project, path), mayBeUnbound: true)
        try session.requireOwner()
        return session
    }

    private func refused(_ error: any Error) throws -> Response {
        switch error {
        case let problem as MethodProblem where problem == .tokenRevoked:
            return .refused(.invalidGrant("invalid refresh token"))
        case let problem as MethodProblem:
            return .refused(APIProblem(.forbidden, reason: "SessionNotAllowed", problem.message ?? "not this session"))
        case let problem as OAuthProblem:
            switch problem.code {
            case .invalidGrant: return .refused(.invalidGrant(problem.description ?? "the session is not good"))
            case .temporarilyUnavailable:
                return .refused(
                    APIProblem(.tooManyRequest, reason: "RateLimited", problem.description ?? "try again later"))
            case .invalidDPoPProof, .useDPoPNonce: throw problem
            default:
                return .refused(
                    APIProblem(.forbidden, reason: "AnonymousUserDisallowed", problem.description ?? "not this client"))
            }
        default: throw error
        }
    }
}
