internal import KeyturnWire

/// The user's passkeys.
struct SettingsPasskeysPage: SettingsPage {
    struct Passkey: Sendable {
        let id: String
        let name: String
        /// The password manager or device that holds it; `nil`: unknown.
        let authenticator: String?
        let isSecurityKey: Bool
        /// Whether the user named it.
        var hasOwnName = true
        let storage: Storage
        let isActive: Bool
        let addedSecondsAgo: Int
        /// `nil`: never used.
        let usedSecondsAgo: Int?
    }

    /// How many devices have it.
    enum Storage: Sendable, CaseIterable {
        /// Backed up, on all the owner's devices.
        case synced
        /// It can be backed up, but is not yet.
        case notYetSynced
        case oneDevice
    }

    /// Whether the user can add a passkey.
    enum Adding: Sendable {
        case here(PasskeyButton)
        /// Only after another sign-in.
        case afterSignIn
        /// Not at all: the user has too many.
        case never
    }

    enum Problem: Sendable, CaseIterable {
        case refused, expired, taken, tooMany, nameInvalid, onlyWay
    }

    enum Notice: String, Sendable, CaseIterable {
        case added, renamed, removed
        case switchedOn = "on"
        case switchedOff = "off"
    }

    static let template = PageTemplate.passkeys
    static let section = SettingsSection.passkeys
    let form: PageForm
    let settingsUser: SettingsUser?
    let passkeys: [Passkey]
    let adding: Adding
    let problem: Problem?
    let notice: Notice?
    let signals: [PasskeySignal]
    /// What an app waits for; `nil`: no app does.
    var requested: SettingsAction?

    var redirectOrigins: [String] { form.redirectOrigins }

    var usesPasskeys: Bool {
        if case .here = adding { return true }
        return false
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[SettingsPasskeysStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "settings": strings[SettingsStrings.self],
            "hasAny": !passkeys.isEmpty, "items": passkeys.map { row($0, strings) },
        ]
        values["isChangeable"] = requested == nil
        values["isRemovable"] = [nil, .removePasskey].contains(requested)
        values["showsList"] = requested != .addPasskey
        values["isForApp"] = requested != nil
        if requested != nil { values["cancel"] = strings.cancel }
        switch requested == .removePasskey ? .never : adding {
        case .here(let button):
            values["passkey"] = button.values(strings, action: "add", style: "primary", label: text.add)
        case .afterSignIn: values["signIn"] = text.add
        case .never: break
        }
        if let problem { values["problem"] = text.problem(problem) }
        if let notice, problem == nil { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func row(_ passkey: Passkey, _ strings: Strings) -> [String: Any] {
        let text = strings[SettingsPasskeysStrings.self]
        let home = passkey.authenticator ?? (passkey.isSecurityKey ? text.securityKey : nil)
        // An unnamed passkey is shown by its type, in the user's language.
        let name = passkey.hasOwnName ? passkey.name : home ?? passkey.name
        let times = strings[SettingsStrings.self].facts(
            strings.time.since(passkey.addedSecondsAgo), passkey.usedSecondsAgo.map(strings.time.since))
        var row: [String: Any] = [
            "id": passkey.id, "name": name, "times": times, "isActive": passkey.isActive,
            "storage": text.storage(passkey.storage), "isSynced": passkey.storage == .synced,
        ]
        if let home, home != name { row["home"] = home }
        return row
    }
}

/// Removing a passkey.
struct SettingsPasskeyRemovalPage: SettingsPage {
    /// What the owner would have left.
    enum Outlook: Sendable, CaseIterable {
        case others
        /// No passkey, but other sign-in methods.
        case noPasskey
        /// No sign-in method: the passkey stays.
        case nothing
    }

    static let template = PageTemplate.passkeyRemoval
    static let section = SettingsSection.passkeys
    static let name = "settings-passkey-remove"
    let form: PageForm
    let settingsUser: SettingsUser?
    let id: String
    let passkeyName: String
    let outlook: Outlook

    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String { strings[SettingsPasskeysStrings.self].removalHeading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[SettingsPasskeysStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "cancel": strings.cancel, "id": id,
            "name": passkeyName, "settings": strings[SettingsStrings.self],
            "backURI": SettingsSection.passkeys.path + (form.transaction.map { "?transaction=\($0)" } ?? ""),
        ]
        values["isRemovable"] = outlook != .nothing
        values["isLast"] = outlook == .noPasskey
        if outlook == .nothing { values["problem"] = text.problem(.onlyWay) }
        return form.values(values)
    }
}
