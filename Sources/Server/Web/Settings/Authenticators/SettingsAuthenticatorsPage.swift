internal import KeyturnWire

/// Authenticator apps and recovery codes.
struct SettingsAuthenticatorsPage: SettingsPage {
    struct Authenticator: Sendable {
        let id: String
        let name: String
        let addedSecondsAgo: Int
        /// `nil`: never used.
        let usedSecondsAgo: Int?
    }

    enum Notice: Sendable, CaseIterable {
        case added, removed
    }

    static let template = PageTemplate.authenticators
    static let section = SettingsSection.authenticators
    let form: PageForm
    let settingsUser: SettingsUser?
    let authenticators: [Authenticator]
    let recoveryCodesLeft: Int
    let canAdd: Bool
    let notice: Notice?
    /// What an app waits for; `nil`: no app does.
    var requested: SettingsAction?

    var redirectOrigins: [String] { form.redirectOrigins }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[AuthenticatorsStrings.self]
        let settings = strings[SettingsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "settings": settings,
            "canAdd": canAdd && [nil, .setupTOTP].contains(requested),
            "isRemovable": [nil, .removeTOTP].contains(requested),
            "showsApps": requested != .setupRecoveryCodes,
            "showsCodes": !authenticators.isEmpty && [nil, .setupRecoveryCodes].contains(requested),
            "hasAny": !authenticators.isEmpty, "codesLeft": text.codesLeft(recoveryCodesLeft),
            "isLow": recoveryCodesLeft < 3,
            "items": authenticators.map { item in
                [
                    "id": item.id, "name": item.name,
                    "facts": settings.facts(
                        strings.time.since(item.addedSecondsAgo), item.usedSecondsAgo.map(strings.time.since)),
                ]
            },
        ]
        if requested != nil { values["cancel"] = strings.cancel }
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }
}
