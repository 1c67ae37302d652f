internal import Account
internal import HTTPTypes
internal import KeyturnWire

extension SettingsSection {
    static let profile: SettingsSection = .init(
        path: Routes.settings + "/profile", title: { $0[ProfileStrings.self].title },
        card: { overview, _ in Card(summary: overview.settingsUser?.name ?? "") },
        routes: { routes in
            routes.pair(
                .profile, routes.frame.signedInPage, routes.showProfile, routes.frame.settingsForm, routes.profile)
        })
}

/// `/settings/profile`.
extension SettingsRoutes {
    private static let path = SettingsSection.profile.path

    @Sendable func showProfile(_ opened: OpenedSettings) async throws -> Response {
        try await page(settings.profile(of: opened.account), nil, opened)
    }

    @Sendable func profile(_ form: SettingsForm) async throws -> Response {
        let opened = form.opened
        let text = { try form.one($0) ?? "" }
        let locale = try text("locale")
        let languages = frame.presenter.languages
        let profile = AccountSettings.Profile(
            name: try text("name"), givenName: try text("given_name"), familyName: try text("family_name"),
            picture: try text("picture"), locale: languages.contains(locale) ? locale : "")
        let earlier = settings.profile(of: opened.account).locale
        let isOther = profile.locale != (languages.contains(earlier) ? earlier : "")
        guard let problem = try await settings.save(profile, of: form.owner) else {
            // The user chose another language here: it replaces the app's wish.
            var wish = opened.wish
            wish.language = nil
            return frame.done(
                "saved", at: Self.path, cookies: isOther ? [frame.cookies.setSettingsWish(wish)] : [])
        }
        return try await page(profile, problem, opened)
    }

    private func page(
        _ profile: AccountSettings.Profile, _ problem: AccountSettings.ProfileProblem?, _ opened: OpenedSettings
    ) async throws -> Response {
        let problem: SettingsProfilePage.Problem? =
            switch problem {
            case .tooLong: .tooLong
            case .pictureInvalid: .pictureInvalid
            case nil: nil
            }
        return frame.page(
            SettingsProfilePage(
                form: frame.form(opened), settingsUser: opened.settingsUser, displayName: profile.name,
                givenName: profile.givenName, familyName: profile.familyName, picture: profile.picture,
                locale: profile.locale, languages: frame.presenter.languages.all, problem: problem,
                wasSaved: opened.done == "saved",
                signals: try await nameSignals(opened)), opened,
            status: problem == nil ? .ok : .unprocessableContent)
    }
}
