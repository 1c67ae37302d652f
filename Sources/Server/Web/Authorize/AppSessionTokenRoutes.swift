internal import Foundation
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

/// `/oauth2/app_session_token`: an app gets a token that opens pages of the settings in its own session (Authgear's wire).
struct AppSessionTokenRoutes: Sendable {
    let services: IdentityServices

    var routes: [Route] {
        [
            Route(
                .post, Routes.appSessionToken,
                open: "the refresh token in the body, and the proof of its key, are checked",
                sharing: .clients, handler: make)
        ]
    }

    /// `POST /oauth2/app_session_token` with `{"refresh_token": …}`, which is not spent.
    @Sendable func make(_ request: Request, _ context: WebContext) async throws -> Response {
        let body = try await request.jsonObject(max: Limits.appSessionBodyBytesMax)
        guard let members = body?.objectValue, members.count == 1,
            let token = members["refresh_token"]?.stringValue
        else { return .refused(.invalid("the body is a JSON object with refresh_token alone")) }
        let presentation = request.proofPresentation(services.project, Routes.appSessionToken)
        do {
            let made = try await services.appSessionTokens.make(for: Secret(token), presentation)
            let end = Date(timeIntervalSince1970: TimeInterval(made.expiresAt.rawValue)).formatted(.iso8601)
            return .json(
                JSONWriter.object { json in
                    json.member(
                        "result", ["app_session_token": .string(made.token.exposed()), "expire_at": .string(end)])
                })
        } catch let problem as MethodProblem where problem == .tokenRevoked {
            return .refused(.invalidGrant("invalid refresh token"))
        } catch let problem as MethodProblem {
            return .refused(
                APIProblem(.forbidden, reason: "SessionNotAllowed", problem.message ?? "this session opens no pages"))
        }
    }
}
