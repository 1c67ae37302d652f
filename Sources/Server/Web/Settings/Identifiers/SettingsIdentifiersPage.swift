/// The names that a user signs in with: mail addresses, phone numbers, user names.
struct SettingsIdentifiersPage: Page {
    enum Kind: String, Sendable, CaseIterable {
        case email, phone, username
    }

    struct Item: Sendable {
        let kind: Kind
        let value: String
        let isVerified: Bool
        let isPrimary: Bool
        /// `false` for the last way to sign in.
        let isRemovable: Bool
        /// Whether a message can be sent to it, so that the user can confirm it.
        var isReached = true
    }

    enum Problem: Sendable, CaseIterable {
        case invalid, unreachable, taken, tooMany, lastOne, tooManyMessages
    }

    enum Notice: Sendable, CaseIterable {
        case added, verified, removed, madePrimary, messageSent
    }

    static let template = PageTemplate.identifiers
    static let name = "settings-identifiers"
    static let isWide = true
    let form: PageForm
    let visitor: SettingsVisitor?
    let items: [Item]
    /// The kinds that the user can add.
    let addable: [Kind]
    let typed: String
    let problem: Problem?
    let notice: Notice?
    var signals: [PasskeySignal] = []

    func title(_ strings: Strings) -> String { strings.settings.section(.identifiers) }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.settings, "typed": typed, "canAdd": !addable.isEmpty,
            "addLabel": addable.map(strings.settings.identifierKind).joined(separator: " / "),
            "groups": Kind.allCases.compactMap { kind in group(kind, strings) },
        ]
        if let problem { values["problem"] = strings.settings.identifierProblem(problem) }
        if let notice, problem == nil { values["notice"] = strings.settings.identifierNotice(notice) }
        return form.values(values)
    }

    private func group(_ kind: Kind, _ strings: Strings) -> [String: Any]? {
        let items = items.filter { $0.kind == kind }
        guard !items.isEmpty else { return nil }
        return [
            "title": strings.settings.identifierKind(kind),
            "items": items.map { item in
                [
                    "kind": item.kind.rawValue, "value": item.value, "isPrimary": item.isPrimary,
                    "isUnverified": !item.isVerified && kind != .username,
                    "canBeVerified": !item.isVerified && kind != .username && item.isReached,
                    "isVerified": item.isVerified && kind != .username,
                    "canBePrimary": item.isVerified && !item.isPrimary && kind != .username,
                    "isRemovable": item.isRemovable,
                ] as [String: Any]
            },
        ]
    }
}

/// The form to change the password, or to set the first one.
struct SettingsPasswordPage: Page {
    static let template = PageTemplate.password
    static let name = "settings-password"
    static let isWide = true
    let form: PageForm
    let visitor: SettingsVisitor?
    let userName: String
    let hasPassword: Bool
    let password: NewPasswordField
    let problem: PasswordProblem?
    let wasSaved: Bool
    /// Whether an app waits for the change.
    var isErrand = false

    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String { strings.settings.section(.password) }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "userName": userName, "text": strings.account, "asksCurrent": hasPassword,
            "lead": hasPassword ? strings.settings.passwordLead : strings.settings.passwordFirstLead,
            "show": strings.show, "hide": strings.hide, "submit": strings.account.newSubmit, "isSettings": true,
            "password": password.values(strings.account.newLabel, strings), "offersOthers": hasPassword,
        ]
        values["problem"] = problem?.text(strings)
        if isErrand { values["cancel"] = strings.cancel }
        if wasSaved, problem == nil, password.refusals.isEmpty {
            values["notice"] = strings.settings.passwordSaved
            values["way"] = ["uri": SettingsSection.overview.path, "label": strings.link.onward(nil)]
        }
        return form.values(values)
    }
}

/// Authenticator apps and recovery codes.
struct SettingsAuthenticatorsPage: Page {
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
    static let name = "settings-authenticators"
    static let isWide = true
    let form: PageForm
    let visitor: SettingsVisitor?
    let authenticators: [Authenticator]
    let recoveryCodesLeft: Int
    let canAdd: Bool
    let notice: Notice?

    func title(_ strings: Strings) -> String { strings.settings.section(.authenticators) }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.settings, "canAdd": canAdd,
            "hasAny": !authenticators.isEmpty, "codesLeft": strings.settings.codesLeft(recoveryCodesLeft),
            "isLow": recoveryCodesLeft < 3,
            "items": authenticators.map { item in
                [
                    "id": item.id, "name": item.name,
                    "facts": strings.settings.authenticatorFacts(
                        strings.time.since(item.addedSecondsAgo), item.usedSecondsAgo.map(strings.time.since)),
                ]
            },
        ]
        if let notice { values["notice"] = strings.settings.authenticatorNotice(notice) }
        return form.values(values)
    }
}

/// Deletes the account.
struct SettingsDeletePage: Page {
    static let template = PageTemplate.delete
    static let name = "settings-delete"
    static let isWide = true
    let form: PageForm
    let visitor: SettingsVisitor?
    /// Whether the user left the box unticked.
    let isUnconfirmed: Bool

    var redirectOrigins: [String] { form.redirectOrigins }

    func title(_ strings: Strings) -> String { strings.settings.section(.delete) }

    func values(_ strings: Strings) -> [String: Any] {
        var values: [String: Any] = [
            "heading": title(strings), "text": strings.settings, "cancel": strings.cancel,
            "identity": visitor?.name ?? "",
        ]
        if isUnconfirmed { values["problem"] = strings.settings.deleteUnconfirmed }
        return form.values(values)
    }
}
