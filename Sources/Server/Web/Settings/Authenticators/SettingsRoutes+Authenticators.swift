internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import KeyturnBase
internal import KeyturnWire
internal import SignIn

extension SettingsSection {
    static let authenticators: SettingsSection = .init(
        path: Routes.settings + "/authenticators", title: { $0[AuthenticatorsStrings.self].title },
        signInMethods: [TOTPAuthenticators.self, RecoveryCodes.self],
        card: { overview, strings in
            let text = strings[AuthenticatorsStrings.self]
            guard overview.summary.authenticators > 0 else {
                return Card(summary: text.isOff, badge: strings[SettingsStrings.self].off)
            }
            return Card(summary: text.codesLeft(overview.summary.recoveryCodes))
        },
        routes: { routes in
            routes.pair(
                .authenticators, routes.frame.signedInPage, routes.showAuthenticators, routes.frame.recentForm,
                routes.authenticators)
                + routes.pair(
                    .authenticators, at: SettingsRoutes.setupPath, routes.frame.recentPage, routes.showSetup,
                    routes.frame.recentForm, routes.setup)
        })
}

/// `/settings/authenticators`: authenticator apps, and the recovery codes.
extension SettingsRoutes {
    private static let path = SettingsSection.authenticators.path
    fileprivate static let setupPath = SettingsSection.authenticators.path + "/add"

    @Sendable func showAuthenticators(_ opened: OpenedSettings) async throws -> Response {
        let apps = try await settings.authenticators(of: opened.owner)
        let left = try await settings.recoveryCodesLeft(of: opened.owner)
        let notice: SettingsAuthenticatorsPage.Notice? =
            switch opened.done {
            case "added": .added
            case "removed": .removed
            default: nil
            }
        return frame.page(
            SettingsAuthenticatorsPage(
                form: frame.form(opened), settingsUser: opened.settingsUser,
                authenticators: apps.map { app in
                    SettingsAuthenticatorsPage.Authenticator(
                        id: app.id, name: opened.strings[MethodsStrings.self].name(.authenticator),
                        addedSecondsAgo: frame.age(app.addedAt), usedSecondsAgo: app.usedAt.map(frame.age))
                },
                recoveryCodesLeft: left, canAdd: apps.isEmpty, notice: notice), opened)
    }

    @Sendable func authenticators(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        switch form.action {
        case "add":
            guard form.owner.mayChangeFactors else {
                return frame.signIn(.authenticators, opened.wish, again: form.owner, withFactor: true)
            }
            guard let id = try await settings.beginAuthenticator(of: form.owner) else {
                return frame.done(nil, at: Self.path)
            }
            return .seeOther("\(Self.setupPath)?transaction=\(id)")
        case "remove":
            let isDone = try await settings.removeAuthenticator(try form.one("id") ?? "", of: form.owner)
            return frame.done(isDone ? "removed" : nil, at: Self.path)
        case "renew-codes":
            guard let codes = try await settings.renewRecoveryCodes(of: form.owner) else {
                return frame.done(nil, at: Self.path)
            }
            return codesPage(codes, replacesEarlier: true, opened)
        default:
            // Also the button under new recovery codes: the user has stored them.
            return frame.done(nil, at: Self.path)
        }
    }

    @Sendable func showSetup(_ recent: RecentlyOpenedSettings) async throws -> Response {
        let opened = recent.opened
        return try await setupPage(opened, nil)
    }

    @Sendable func setup(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        switch form.action {
        case "deny": return frame.done(nil, at: Self.path)
        case "continue": return frame.done("added", at: Self.path)
        default: break
        }
        let codes = try await settings.confirmAuthenticator(
            try form.one("transaction") ?? "", code: Secret(try form.one("code") ?? ""), of: form.owner)
        guard let codes else { return try await setupPage(opened, .wrong) }
        return codesPage(codes, replacesEarlier: false, opened)
    }

    /// The key and its QR code, while it waits for its first code.
    private func setupPage(_ opened: OpenedSettings, _ problem: CodeProblem?) async throws -> Response {
        let id = opened.form.values("transaction").first ?? ""
        guard let setup = try await settings.setup(id, of: opened.owner) else { return frame.done(nil, at: Self.path) }
        return frame.page(
            TOTPSetupPage(
                form: frame.form(opened, transaction: id), keyURI: setup.keyURI.exposed(),
                pictureURI: TOTPSetupPage.dataURI(svg: setup.picture),
                key: setup.key.exposed(), problem: problem), opened,
            status: problem == nil ? .ok : .unprocessableContent)
    }

    private func codesPage(_ codes: [Secret], replacesEarlier: Bool, _ opened: OpenedSettings) -> Response {
        frame.page(
            RecoveryCodesPage(
                form: frame.form(opened), codes: codes.map { $0.exposed() }, replacesEarlier: replacesEarlier),
            opened)
    }
}
