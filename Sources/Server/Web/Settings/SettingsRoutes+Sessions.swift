internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import KeyturnBase
internal import KeyturnWire

/// `/settings/sessions`: where somebody is signed in.
extension SettingsRoutes {
    private static let path = SettingsSection.sessions.path

    @Sendable func showSessions(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.show(Self.path, of: .sessions, request) { visit in
            let signedIn = try await settings.sessions(of: visit.owner)
            let now = frame.services.ambient.now()
            let notice: SettingsSessionsPage.Notice? =
                switch visit.done {
                case "ended": .ended
                case "others-ended": .othersEnded
                case "key-removed": .keyRemoved
                default: nil
                }
            return frame.page(
                SettingsSessionsPage(
                    form: frame.form(visit), visitor: visit.visitor,
                    current: row(OpenSession(session: visit.owner.session, usedAt: now)),
                    others: signedIn.others.map(row), apps: signedIn.apps.map(row), keys: signedIn.keys.map(row),
                    copies: signedIn.copies.map(row), notice: notice), visit)
        }
    }

    /// The answer is the same whether there was such a session, and whosever it was.
    @Sendable func sessions(_ request: Request, _ context: WebContext) async throws -> Response {
        try await frame.take(Self.path, of: .sessions, request, context) { visit in
            let id = try visit.form.one("id") ?? ""
            switch (visit.action, try visit.form.one("kind")) {
            case ("end", "session"):
                _ = try await settings.end(SessionID(rawValue: id), by: visit.owner)
                return frame.done("ended", at: Self.path)
            case ("end", "grant"):
                if let id = GrantID(text: id) { _ = try await settings.end(id, by: visit.owner) }
                return frame.done("ended", at: Self.path)
            case ("end", "key"):
                _ = try await settings.removeBiometricKey(id, by: visit.owner)
                return frame.done("key-removed", at: Self.path)
            case ("end-others", _):
                try await settings.endOthers(by: visit.owner)
                return frame.done("others-ended", at: Self.path)
            default:
                return frame.done(nil, at: Self.path)
            }
        }
    }

    private func row(_ open: OpenSession) -> SettingsSessionsPage.Session {
        SettingsSessionsPage.Session(
            id: open.session.id.rawValue, device: open.session.origin.device, place: open.session.origin.address,
            usedSecondsAgo: frame.age(open.usedAt))
    }

    private func row(_ key: AccountSettings.BiometricKey) -> SettingsSessionsPage.Key {
        SettingsSessionsPage.Key(
            id: key.key.id, device: key.key.device, app: key.app ?? frame.services.project.name,
            addedSecondsAgo: frame.age(key.key.createdAt), usedSecondsAgo: key.key.usedAt.map(frame.age))
    }

    private func row(_ copied: AccountSettings.CopiedToken) -> SettingsSessionsPage.Copy {
        SettingsSessionsPage.Copy(
            app: copied.app ?? frame.services.project.name, kind: copied.sign.kind,
            secondsAgo: frame.age(copied.sign.at))
    }

    private func row(_ app: AccountSettings.SignedInApp) -> SettingsSessionsPage.App {
        SettingsSessionsPage.App(
            id: app.grant.id.text, name: app.name ?? frame.services.project.name, device: app.device,
            scopes: app.grant.scope.names, usedSecondsAgo: frame.age(app.usedAt))
    }
}
