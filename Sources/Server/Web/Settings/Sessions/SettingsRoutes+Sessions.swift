internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import OAuth
internal import SignIn

extension SettingsSection {
    static let sessions: SettingsSection = .init(
        path: Routes.settingsSessions, title: { $0[SessionsStrings.self].title },
        card: { overview, strings in
            Card(summary: strings[SessionsStrings.self].count(overview.summary.sessions))
        },
        routes: { routes in
            routes.pair(
                .sessions, routes.frame.signedInPage, routes.showSessions, routes.frame.settingsForm, routes.sessions)
        })
}

/// `/settings/sessions`: the devices and apps where the user is signed in.
extension SettingsRoutes {
    private static let path = SettingsSection.sessions.path

    @Sendable func showSessions(_ opened: OpenedSettings) async throws -> Response {
        let signedIn = try await settings.sessions(of: opened.owner)
        let now = frame.services.ambient.now()
        let notice: SettingsSessionsPage.Notice? =
            switch opened.done {
            case "ended": .ended
            case "others-ended": .othersEnded
            case "key-removed": .keyRemoved
            default: nil
            }
        return frame.page(
            SettingsSessionsPage(
                form: frame.form(opened), settingsUser: opened.settingsUser,
                current: row(OpenSession(session: opened.owner.session, usedAt: now), isHere: true),
                others: signedIn.others.map { row($0) }, apps: apps(signedIn), keys: signedIn.keys.map(row),
                copies: signedIn.copies.map(row), notice: notice), opened)
    }

    /// The answer does not tell whether the session existed, or belonged to another user.
    @Sendable func sessions(_ form: SettingsForm) async throws -> Response {
        guard settings.mayEnd(form.owner) else {
            return frame.signIn(.sessions, form.opened.wish, again: form.owner)
        }
        let id = try form.one("id") ?? ""
        switch (form.action, try form.one("kind")) {
        case ("end", "session"):
            _ = try await settings.end(SessionID(rawValue: id), by: form.owner)
            return frame.done("ended", at: Self.path)
        case ("end", "grant"):
            if let id = GrantID(text: id) { _ = try await settings.end(id, by: form.owner) }
            return frame.done("ended", at: Self.path)
        case ("end", "app"):
            try await settings.endAll(of: id, by: form.owner)
            return frame.done("ended", at: Self.path)
        case ("end", "key"):
            _ = try await settings.removeBiometricKey(id, by: form.owner)
            return frame.done("key-removed", at: Self.path)
        case ("end-others", _):
            try await settings.endOthers(by: form.owner)
            return frame.done("others-ended", at: Self.path)
        default:
            return frame.done(nil, at: Self.path)
        }
    }

    /// - Parameter isHere: of this browser, which its user knows.
    private func row(_ open: OpenSession, isHere: Bool = false) -> SettingsSessionsPage.Session {
        SettingsSessionsPage.Session(
            id: open.session.id.rawValue, device: open.session.origin.device, place: open.session.origin.address,
            usedSecondsAgo: frame.age(open.usedAt), country: open.session.origin.country,
            isNewDevice: !isHere && open.session.origin.signals.contains(.newDevice))
    }

    private func row(_ key: AccountSettings.BiometricKey) -> SettingsSessionsPage.KeyRow {
        SettingsSessionsPage.KeyRow(
            id: key.key.id, device: key.key.device, app: key.app ?? frame.services.project.name,
            addedSecondsAgo: frame.age(key.key.createdAt), usedSecondsAgo: key.key.usedAt.map(frame.age))
    }

    private func row(_ copied: AccountSettings.CopiedToken) -> SettingsSessionsPage.Copy {
        SettingsSessionsPage.Copy(
            app: copied.app ?? frame.services.project.name, kind: copied.sign.kind,
            secondsAgo: frame.age(copied.sign.at))
    }

    /// Each app once, ordered by its newest sign-in, with the permissions of all of its sign-ins.
    /// Those that have none, and were allowed something, come last.
    private func apps(_ signedIn: AccountSettings.SignedIn) -> [SettingsSessionsPage.App] {
        let clients = frame.services.clients
        var apps: [SettingsSessionsPage.App] = []
        var resources: [String: Set<String>] = [:]
        for one in signedIn.apps {
            let position = apps.firstIndex { $0.id == one.grant.clientID } ?? apps.endIndex
            if position == apps.endIndex {
                apps.append(
                    SettingsSessionsPage.App(
                        id: one.grant.clientID, name: one.name ?? frame.services.project.name, scopes: [],
                        claims: one.claims, signIns: []))
            }
            apps[position].scopes += one.grant.scope.names.filter { !apps[position].scopes.contains($0) }
            resources[one.grant.clientID, default: []].formUnion(one.resources)
            apps[position].resources = clients.named(resources[one.grant.clientID] ?? [])
            apps[position].signIns.append(row(one))
        }
        let allowed = signedIn.allowed.map { app in
            SettingsSessionsPage.App(
                id: app.clientID, name: app.name ?? app.clientID, scopes: app.consent.scope.names.sorted(),
                claims: app.consent.claims, resources: clients.named(app.consent.resources), signIns: [])
        }
        return apps + allowed
    }

    private func row(_ app: AccountSettings.SignedInApp) -> SettingsSessionsPage.AppSignIn {
        SettingsSessionsPage.AppSignIn(
            id: app.grant.id.text, device: app.origin.device, place: app.origin.address,
            begunSecondsAgo: frame.age(app.grant.createdAt), usedSecondsAgo: frame.age(app.usedAt))
    }
}
