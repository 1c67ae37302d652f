internal import Authority
internal import Account
internal import HTTPTypes
internal import KeyturnWire
internal import SignIn

extension SettingsSection {
    static let delete: SettingsSection = .init(
        path: Routes.settingsDelete, title: { $0[DeleteStrings.self].title },
        isInMenu: false,
        card: { _, strings in
            Card(summary: strings[DeleteStrings.self].summary, isDangerous: true)
        },
        act: .deleteAccount,
        routes: { routes in
            routes.pair(
                .delete, routes.frame.recentPage, routes.showDelete, routes.frame.recentForm, routes.delete)
        })
}

/// `/settings/delete`.
extension SettingsRoutes {
    private static let path = SettingsSection.delete.path

    @Sendable func showDelete(_ recent: RecentlyOpenedSettings) async throws -> Response {
        let opened = recent.opened
        return frame.page(
            SettingsDeletePage(
                form: frame.form(opened, frame.requested(opened, .deleteAccount)), settingsUser: opened.settingsUser,
                isUnconfirmed: false), opened)
    }

    @Sendable func delete(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        let requested = frame.requested(opened, .deleteAccount)
        guard form.action == "delete" else {
            if let requested { return try await frame.gaveUp(requested) }
            return frame.done(nil, at: Routes.settings)
        }
        guard try form.one("confirm") == "true" else {
            return frame.page(
                SettingsDeletePage(
                    form: frame.form(opened, requested), settingsUser: opened.settingsUser, isUnconfirmed: true),
                opened,
                status: .unprocessableContent)
        }
        try await settings.delete(form.owner)
        let cookies = [frame.cookies.clearSession(of: form.owner.session)]
        if let requested { return try await frame.done(requested, cookies: cookies) }
        return frame.page(
            DonePage(kind: .accountDeleted, way: nil), opened, cookies: cookies)
    }
}
