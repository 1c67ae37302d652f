/// The names that a user signs in with: mail addresses, phone numbers, user names.
struct SettingsIdentifiersPage: SettingsPage {
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
        case invalid, unreachable, taken, tooMany, lastOne, closed, tooManyMessages, nameInvalid, tooManyNames
    }

    enum Notice: Sendable, CaseIterable {
        case added, verified, removed, madePrimary, messageSent, nameAdded
    }

    static let template = PageTemplate.identifiers
    static let section = SettingsSection.identifiers
    let form: PageForm
    let settingsUser: SettingsUser?
    let items: [Item]
    /// The kinds that the user can add.
    let addable: [Kind]
    let typed: String
    let problem: Problem?
    let notice: Notice?
    var signals: [PasskeySignal] = []
    /// Whether an app waits until an address is verified.
    var isRequestedAction = false

    var redirectOrigins: [String] { form.redirectOrigins }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[IdentifiersStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "settings": strings[SettingsStrings.self],
            "typed": typed, "canAdd": !addable.isEmpty,
            "addLabel": addable.map(text.kind).joined(separator: " / "),
            "groups": Kind.allCases.compactMap { kind in group(kind, strings) },
        ]
        if isRequestedAction { values["cancel"] = strings.cancel }
        if let problem { values["problem"] = text.problem(problem) }
        if let notice, problem == nil { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func group(_ kind: Kind, _ strings: Strings) -> [String: Any]? {
        let items = items.filter { $0.kind == kind }
        guard !items.isEmpty else { return nil }
        return [
            "title": strings[IdentifiersStrings.self].kind(kind),
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
