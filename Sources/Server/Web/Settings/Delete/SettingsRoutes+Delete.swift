internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import KeyturnWire

extension SettingsSection {
    static let delete: SettingsSection = .init(
        path: Routes.settingsDelete, title: { $0[DeleteStrings.self].title },
        isInMenu: false,
        card: { _, strings in
            Card(summary: strings[DeleteStrings.self].summary, isDangerous: true)
        },
        routes: { routes in
            routes.pair(
                .delete, routes.frame.recentVisit, routes.showDelete, routes.frame.recentForm, routes.delete)
        })
}

/// `/settings/delete`.
extension SettingsRoutes {
    private static let path = SettingsSection.delete.path

    @Sendable func showDelete(_ recent: RecentVisit) async throws -> Response {
        let visit = recent.visit
        return frame.page(
            SettingsDeletePage(
                form: frame.form(visit, frame.errand(visit, .deleteAccount)), visitor: visit.visitor,
                isUnconfirmed: false), visit)
    }

    @Sendable func delete(_ form: RecentForm) async throws -> Response {
        let visit = form.visit
        let errand = frame.errand(visit, .deleteAccount)
        guard form.action == "delete" else {
            if let errand { return try await frame.gaveUp(errand) }
            return frame.done(nil, at: Routes.settings)
        }
        guard try form.one("confirm") == "true" else {
            return frame.page(
                SettingsDeletePage(
                    form: frame.form(visit, errand), visitor: visit.visitor, isUnconfirmed: true), visit,
                status: .unprocessableContent)
        }
        try await settings.delete(form.owner)
        if let errand { return try await frame.done(errand, cookies: [frame.cookies.clearSession()]) }
        return frame.page(
            DonePage(kind: .accountDeleted, way: nil), visit, cookies: [frame.cookies.clearSession()])
    }
}
