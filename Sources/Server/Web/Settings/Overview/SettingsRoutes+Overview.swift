internal import Account
internal import HTTPTypes
internal import Identity
internal import Model
internal import OAuth
internal import SignIn

extension SettingsSection {
    static let overview: SettingsSection = .init(
        path: Routes.settings, title: { $0[OverviewStrings.self].title },
        card: { _, _ in nil },
        routes: { routes in
            let path = Routes.settings
            let opened = routes.frame.signedInPage(path, of: .overview)
            return [Route(.get, path, opened, isPage: true, handler: routes.overview)]
        })
}

/// `/settings`: a line for each section.
extension SettingsRoutes {
    @Sendable func overview(_ opened: OpenedSettings) async throws -> Response {
        let summary = try await settings.summary(of: opened.owner)
        let connections = try await frame.services.stores.identities.identities(of: opened.owner.userID).count
        let approvals = try await frame.services.backchannel.waiting(for: opened.owner.userID).count
        let identifiers = opened.account.identifiers
        return frame.page(
            SettingsOverviewPage(
                settingsUser: opened.settingsUser,
                summary: SettingsOverviewPage.Summary(
                    identifiers: identifiers.keys.map(\.value).sorted(),
                    hasUnverified: identifiers.contains { $0.key.kind != .username && $0.value == .unverified },
                    passwordAgeSeconds: summary.passwordSetAt.map(frame.age),
                    authenticators: summary.hasAuthenticator ? 1 : 0, recoveryCodes: summary.recoveryCodes,
                    passkeys: summary.passkeys, sessions: summary.sessions, connections: connections,
                    approvals: approvals)), opened)
    }
}
