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
                .authenticators, routes.frame.signedInVisit, routes.showAuthenticators, routes.frame.recentForm,
                routes.authenticators)
                + routes.pair(
                    .authenticators, at: SettingsRoutes.setupPath, routes.frame.recentVisit, routes.showSetup,
                    routes.frame.recentForm, routes.setup)
        })
}

/// `/settings/authenticators`: authenticator apps, and the recovery codes.
extension SettingsRoutes {
    private static let path = SettingsSection.authenticators.path
    fileprivate static let setupPath = SettingsSection.authenticators.path + "/add"

    @Sendable func showAuthenticators(_ visit: SettingsVisit) async throws -> Response {
        let apps = try await settings.authenticators(of: visit.owner)
        let left = try await settings.recoveryCodesLeft(of: visit.owner)
        let notice: SettingsAuthenticatorsPage.Notice? =
            switch visit.done {
            case "added": .added
            case "removed": .removed
            default: nil
            }
        return frame.page(
            SettingsAuthenticatorsPage(
                form: frame.form(visit), visitor: visit.visitor,
                authenticators: apps.map { app in
                    SettingsAuthenticatorsPage.Authenticator(
                        id: app.id, name: visit.strings[MethodsStrings.self].name(.authenticator),
                        addedSecondsAgo: frame.age(app.addedAt), usedSecondsAgo: app.usedAt.map(frame.age))
                },
                recoveryCodesLeft: left, canAdd: apps.isEmpty, notice: notice), visit)
    }

    @Sendable func authenticators(_ form: RecentForm) async throws -> Response {
        let visit = form.visit
        switch form.action {
        case "add":
            guard form.owner.mayChangeFactors else {
                return frame.signIn(.authenticators, visit.wish, again: form.owner, withFactor: true)
            }
            guard let id = try await settings.beginAuthenticator(of: form.owner) else {
                return frame.done(nil, at: Self.path)
            }
            return .seeOther("\(Self.setupPath)?journey=\(id)")
        case "remove":
            let isDone = try await settings.removeAuthenticator(try form.one("id") ?? "", of: form.owner)
            return frame.done(isDone ? "removed" : nil, at: Self.path)
        case "renew-codes":
            guard let codes = try await settings.renewRecoveryCodes(of: form.owner) else {
                return frame.done(nil, at: Self.path)
            }
            return codesPage(codes, replacesEarlier: true, visit)
        default:
            // Also the button under new recovery codes: the user has stored them.
            return frame.done(nil, at: Self.path)
        }
    }

    @Sendable func showSetup(_ recent: RecentVisit) async throws -> Response {
        let visit = recent.visit
        return try await setupPage(visit, nil)
    }

    @Sendable func setup(_ form: RecentForm) async throws -> Response {
        let visit = form.visit
        switch form.action {
        case "deny": return frame.done(nil, at: Self.path)
        case "continue": return frame.done("added", at: Self.path)
        default: break
        }
        let codes = try await settings.confirmAuthenticator(
            try form.one("journey") ?? "", code: Secret(try form.one("code") ?? ""), of: form.owner)
        guard let codes else { return try await setupPage(visit, .wrong) }
        return codesPage(codes, replacesEarlier: false, visit)
    }

    /// The key and its QR code, while it waits for its first code.
    private func setupPage(_ visit: SettingsVisit, _ problem: CodeProblem?) async throws -> Response {
        let id = visit.form.values("journey").first ?? ""
        guard let setup = try await settings.setup(id, of: visit.owner) else { return frame.done(nil, at: Self.path) }
        return frame.page(
            TOTPSetupPage(
                form: frame.form(visit, journey: id), keyURI: setup.keyURI.exposed(),
                pictureURI: TOTPSetupPage.dataURI(svg: setup.picture),
                key: setup.key.exposed(), problem: problem), visit,
            status: problem == nil ? .ok : .unprocessableContent)
    }

    private func codesPage(_ codes: [Secret], replacesEarlier: Bool, _ visit: SettingsVisit) -> Response {
        frame.page(
            RecoveryCodesPage(
                form: frame.form(visit), codes: codes.map { $0.exposed() }, replacesEarlier: replacesEarlier),
            visit)
    }
}
