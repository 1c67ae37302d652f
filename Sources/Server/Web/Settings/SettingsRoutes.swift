internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import Model

/// What people change about their own accounts: one file a subject.
struct SettingsRoutes: Sendable {
    let frame: SettingsFrame
    /// Whom messages reach: no address is asked for that cannot be proved.
    let reach: Reach

    var settings: AccountSettings { frame.services.settings }

    /// The pages that begin elsewhere than in the menu.
    static let codePath = SettingsSection.identifiers.path + "/code"
    static let setupPath = SettingsSection.authenticators.path + "/add"
    static let removalPath = SettingsSection.passkeys.path + "/remove"

    var routes: [Route] {
        [Route(method: .get, path: "/settings", checks: [.signedIn], isPage: true, handler: overview)]
            + pair(SettingsSection.profile.path, get: showProfile, post: profile)
            + pair(SettingsSection.sessions.path, get: showSessions, post: sessions)
            + pair(SettingsSection.password.path, [.recentSignIn], get: showPassword, post: password)
            + pair(SettingsSection.delete.path, [.recentSignIn], get: showDelete, post: delete)
            + pair(SettingsSection.identifiers.path, posting: [.recentSignIn], get: showIdentifiers, post: identifiers)
            + pair(Self.codePath, [.journey, .recentSignIn], get: showCode, post: code)
            + pair(
                SettingsSection.authenticators.path, posting: [.recentSignIn], get: showAuthenticators,
                post: authenticators)
            + pair(Self.setupPath, [.recentSignIn], get: showSetup, post: setup)
            + pair(SettingsSection.passkeys.path, posting: [.recentSignIn], get: showPasskeys, post: passkeys)
            + pair(Self.removalPath, [.recentSignIn], get: showRemoval, post: removal)
    }

    private func pair(
        _ path: String, _ both: [Route.Check] = [], posting: [Route.Check] = [],
        get: @escaping @Sendable (Request, WebContext) async throws -> Response,
        post: @escaping @Sendable (Request, WebContext) async throws -> Response
    ) -> [Route] {
        [
            Route(method: .get, path: path, checks: [.signedIn] + both, isPage: true, handler: get),
            Route(
                method: .post, path: path, checks: [.signedIn, .sameSite] + both + posting, isPage: true, handler: post),
        ]
    }

    /// `GET /settings`.
    @Sendable func overview(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.show("/settings", of: .overview, request) { visit in
            let summary = try await settings.summary(of: visit.owner)
            let identifiers = visit.account.identifiers
            return frame.page(
                SettingsPage(
                    visitor: visit.visitor,
                    summary: SettingsPage.Summary(
                        identifiers: identifiers.keys.map(\.value).sorted(),
                        hasUnverified: identifiers.contains { $0.key.kind != .username && $0.value == .unverified },
                        passwordAgeSeconds: summary.passwordSetAt.map(frame.age),
                        authenticators: summary.hasAuthenticator ? 1 : 0, recoveryCodes: summary.recoveryCodes,
                        passkeys: summary.passkeys, sessions: summary.sessions)), visit)
        }
    }
}
