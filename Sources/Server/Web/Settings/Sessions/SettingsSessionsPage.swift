internal import Model

/// The user's sign-ins: browsers, and apps with their permissions.
struct SettingsSessionsPage: SettingsPage {
    struct Session: Sendable {
        /// The value of `id` in the form that ends it.
        let id: String
        /// Such as “Firefox on Linux”.
        let device: String?
        /// A place or a network address.
        let place: String?
        let usedSecondsAgo: Int
        /// ISO 3166-1; `nil`: unknown.
        var country: String?
        /// Whether the user had not signed in on that device before.
        var isNewDevice = false
    }

    struct App: Sendable {
        /// The value of `id` in the form that ends all of its sign-ins.
        let id: String
        let name: String
        /// The permissions of all of its sign-ins together.
        var scopes: [String]
        /// Claims that the user agreed to by name, beside those of the scopes.
        var claims: Set<String> = []
        /// The services that its tokens may be for.
        var resources: [NamedResource] = []
        var signIns: [AppSignIn]
    }

    /// One sign-in to an app.
    struct AppSignIn: Sendable {
        /// The value of `id` in the form that ends it.
        let id: String
        let device: String?
        /// A network address.
        let place: String?
        let begunSecondsAgo: Int
        let usedSecondsAgo: Int
    }

    /// A device on which a fingerprint or face signs in.
    struct KeyRow: Sendable {
        /// The value of `id` in the form.
        let id: String
        /// May be empty.
        let device: String
        let app: String
        let addedSecondsAgo: Int
        /// `nil`: never used.
        let usedSecondsAgo: Int?
    }

    /// An app whose token was copied.
    struct Copy: Sendable {
        let app: String
        let kind: CopiedTokenSign.Kind
        let secondsAgo: Int
    }

    enum Notice: Sendable, CaseIterable {
        case ended, othersEnded, keyRemoved
    }

    static let template = PageTemplate.sessions
    static let section = SettingsSection.sessions
    let form: PageForm
    let settingsUser: SettingsUser?
    let current: Session
    let others: [Session]
    let apps: [App]
    let keys: [KeyRow]
    let copies: [Copy]
    let notice: Notice?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[SessionsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "settings": strings[SettingsStrings.self],
            "current": row(current, strings),
            "others": others.map { row($0, strings) }, "hasOthers": !others.isEmpty, "hasApps": !apps.isEmpty,
            "canEndAll": !others.isEmpty || apps.contains { !$0.signIns.isEmpty } || !keys.isEmpty,
            "hasKeys": !keys.isEmpty,
            "keys": keys.map { row($0, strings) }, "hasCopies": !copies.isEmpty,
            "copies": copies.map { copy in
                [
                    "name": copy.app,
                    "facts": text.copies.fact(copy.kind, strings.time.since(copy.secondsAgo)),
                ]
            },
            "apps": apps.map { row($0, strings) },
        ]
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func row(_ session: Session, _ strings: Strings) -> [String: Any] {
        let text = strings[SessionsStrings.self]
        return [
            "id": session.id, "name": session.device ?? strings.deviceUnknown,
            "facts": facts(
                [
                    session.isNewDevice ? text.newDevice : nil,
                    session.country.map { CountryName.text($0, in: text.language) }, session.place,
                    text.lastUsed(strings.time.since(session.usedSecondsAgo)),
                ]),
        ]
    }

    /// More permissions than this are shown only on request.
    private static let scopesShownMax = 3

    private func row(_ app: App, _ strings: Strings) -> [String: Any] {
        let text = strings[SessionsStrings.self]
        let lines =
            app.scopes.map(strings.scope) + strings.claims(app.claims) + app.resources.map(strings.resource)
        let scopes: [String: Any] = [
            "list": lines, "count": text.signIns.permissionCount(lines.count),
        ]
        var row: [String: Any] = [
            "id": app.id, "name": app.name, "endsAll": app.signIns.count != 1,
            "signIns": app.signIns.map { one -> [String: Any] in
                let times = text.signIns.since(
                    strings.time.since(one.begunSecondsAgo), strings.time.since(one.usedSecondsAgo))
                return [
                    "id": one.id, "name": one.device ?? strings.deviceUnknown, "facts": facts(one.place, times),
                ]
            },
        ]
        if !lines.isEmpty {
            row[lines.count > Self.scopesShownMax ? "manyScopes" : "fewScopes"] = scopes
        }
        return row
    }

    private func row(_ key: KeyRow, _ strings: Strings) -> [String: Any] {
        let times = strings[SettingsStrings.self].facts(
            strings.time.since(key.addedSecondsAgo), key.usedSecondsAgo.map(strings.time.since))
        return [
            "id": key.id, "name": key.device.isEmpty ? strings.deviceUnknown : key.device,
            "facts": "\(times) · \(key.app)",
        ]
    }

    private func facts(_ place: String?, _ times: String) -> String { facts([place, times]) }

    private func facts(_ facts: [String?]) -> String { facts.compactMap(\.self).joined(separator: " · ") }
}
