internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SettingsSection {
    static let authenticators: SettingsSection = .init(
        path: Routes.settingsAuthenticators, title: { $0[AuthenticatorsStrings.self].title },
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
    private static let seal = "settings/authenticator"

    /// An app that is being set up, or recovery codes that are shown, while another app waits.
    private struct PendingFactor: Codable {
        /// The authenticator app; `nil`: it is set up, or there is none to set up.
        let id: String?
        let userID: String
        /// The sealed request of the app that waits; `nil`: no app does.
        let awaited: String?
        /// The action that was done.
        var done: String?
    }

    private func pendingFactor(_ opened: OpenedSettings) -> PendingFactor? {
        opened.form.values("transaction").first
            .flatMap { frame.services.transactions.open($0, as: PendingFactor.self, kind: Self.seal) }
            .flatMap { $0.userID == opened.owner.userID.rawValue ? $0 : nil }
    }

    private func seal(_ pending: PendingFactor) -> String {
        frame.services.transactions.close(pending, kind: Self.seal)
    }

    private func requestedFactor(_ sealed: String?, _ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        frame.requested(sealed, opened, in: [SettingsAction.setupTOTP, .removeTOTP, .setupRecoveryCodes])
    }

    private func requestedFactor(_ opened: OpenedSettings) -> SettingsMiddleware.RequestedAction? {
        requestedFactor(opened.form.values("transaction").first, opened)
    }

    @Sendable func showAuthenticators(_ opened: OpenedSettings) async throws -> Response {
        let apps = try await settings.authenticators(of: opened.owner)
        let left = try await settings.recoveryCodesLeft(of: opened.owner)
        let notice: SettingsAuthenticatorsPage.Notice? =
            switch opened.done {
            case "added": .added
            case "removed": .removed
            default: nil
            }
        let requested = requestedFactor(opened)
        return frame.page(
            SettingsAuthenticatorsPage(
                form: frame.form(opened, requested), settingsUser: opened.settingsUser,
                authenticators: apps.map { app in
                    SettingsAuthenticatorsPage.Authenticator(
                        id: app.id, name: opened.strings[MethodsStrings.self].name(.authenticator),
                        addedSecondsAgo: frame.age(app.addedAt), usedSecondsAgo: app.usedAt.map(frame.age))
                },
                recoveryCodesLeft: left, canAdd: apps.isEmpty, notice: notice,
                requested: requested?.transaction.settingsAction), opened)
    }

    @Sendable func authenticators(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        let requested = requestedFactor(opened)
        switch form.action {
        case "add", "remove", "renew-codes":
            guard form.owner.mayChangeFactors else {
                return frame.signIn(
                    .authenticators, opened.wish, again: form.owner, withFactor: true, awaited: frame.awaited(opened))
            }
            return try await change(form, requested)
        case "deny":
            guard let requested else { return frame.done(nil, at: Self.path) }
            return try await frame.gaveUp(requested)
        default:
            // Also the button under new recovery codes: the user has stored them.
            return try await wentOn(opened, nil)
        }
    }

    /// A form of a user who may change factors.
    private func change(_ form: RecentForm, _ requested: SettingsMiddleware.RequestedAction?) async throws -> Response {
        switch form.action {
        case "add":
            guard let id = try await settings.beginAuthenticator(of: form.owner) else {
                return frame.done(nil, at: Self.path)
            }
            let pending = PendingFactor(id: id, userID: form.owner.userID.rawValue, awaited: requested?.sealed)
            return .seeOther("\(Self.setupPath)?transaction=\(seal(pending))")
        case "remove":
            let isDone = try await settings.removeAuthenticator(try form.one("id") ?? "", of: form.owner)
            if isDone, let requested, requested.transaction.settingsAction == .removeTOTP {
                return try await frame.done(requested)
            }
            return frame.done(isDone ? "removed" : nil, at: Self.path)
        default:
            guard let codes = try await settings.renewRecoveryCodes(of: form.owner) else {
                return frame.done(nil, at: Self.path)
            }
            return codesPage(codes, .setupRecoveryCodes, awaited: requested?.sealed, form.opened)
        }
    }

    /// After the recovery codes: back to the app that waits, if the server itself noted that its action was done.
    private func wentOn(_ opened: OpenedSettings, _ word: String?) async throws -> Response {
        guard let pending = pendingFactor(opened), let action = pending.done.map(SettingsAction.init(rawValue:)),
            let requested = requestedFactor(pending.awaited, opened), requested.transaction.settingsAction == action
        else { return frame.done(word, at: Self.path) }
        return try await frame.done(requested)
    }

    @Sendable func showSetup(_ recent: RecentlyOpenedSettings) async throws -> Response {
        let opened = recent.opened
        return try await setupPage(opened, nil)
    }

    @Sendable func setup(_ form: RecentForm) async throws -> Response {
        let opened = form.opened
        let pending = pendingFactor(opened)
        switch form.action {
        case "deny":
            guard let requested = requestedFactor(pending?.awaited, opened) else {
                return frame.done(nil, at: Self.path)
            }
            return try await frame.gaveUp(requested)
        case "continue": return try await wentOn(opened, "added")
        default: break
        }
        let codes = try await settings.confirmAuthenticator(
            pending?.id ?? "", code: Secret(try form.one("code") ?? ""), of: form.owner)
        guard let codes else { return try await setupPage(opened, .wrong) }
        return codesPage(codes, .setupTOTP, awaited: pending?.awaited, opened)
    }

    /// The key and its QR code, while it waits for its first code.
    private func setupPage(_ opened: OpenedSettings, _ problem: CodeProblem?) async throws -> Response {
        guard let pending = pendingFactor(opened), let id = pending.id,
            let setup = try await settings.setup(id, of: opened.owner)
        else { return frame.done(nil, at: Self.path) }
        var form = frame.form(opened, transaction: seal(pending))
        if let requested = requestedFactor(pending.awaited, opened) {
            form.redirectOrigins = [requested.transaction.redirectURI]
        }
        return frame.page(
            TOTPSetupPage(
                form: form, keyURI: setup.keyURI.exposed(),
                pictureURI: TOTPSetupPage.dataURI(svg: setup.picture),
                key: setup.key.exposed(), problem: problem), opened,
            status: problem == nil ? .ok : .unprocessableContent)
    }

    /// - Parameter action: what was just done.
    private func codesPage(
        _ codes: [Secret], _ action: SettingsAction, awaited: String?, _ opened: OpenedSettings
    ) -> Response {
        let done = PendingFactor(
            id: nil, userID: opened.owner.userID.rawValue, awaited: awaited, done: action.rawValue)
        var form = frame.form(opened, transaction: awaited.map { _ in seal(done) })
        if let requested = requestedFactor(awaited, opened) {
            form.redirectOrigins = [requested.transaction.redirectURI]
        }
        return frame.page(
            RecoveryCodesPage(
                form: form, codes: codes.map { $0.exposed() }, replacesEarlier: action == .setupRecoveryCodes),
            opened)
    }
}
