/// The user's identities at providers.
struct SettingsConnectionsPage: SettingsPage {
    struct Item: Sendable {
        /// Names the identity in the form.
        let id: String
        let provider: ProviderButton
        /// The name or address there; `nil`: the provider told none.
        let account: String?
        let linkedSecondsAgo: Int
        let usedSecondsAgo: Int
    }

    enum Problem: Sendable {
        case lastWay
        case provider(FederationProblem, name: String)
    }

    static let template = PageTemplate.connections
    static let section = SettingsSection.connections
    let form: PageForm
    let settingsUser: SettingsUser?
    let items: [Item]
    let linkable: [ProviderButton]
    let problem: Problem?
    /// Whether one was linked, or unlinked, just now.
    let isLinked: Bool?
    /// Whether an app waits until an account is connected or disconnected.
    var isRequestedAction = false

    var redirectOrigins: [String] { form.redirectOrigins }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConnectionsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "settings": strings[SettingsStrings.self],
            "hasAny": !items.isEmpty, "items": items.map { row($0, strings) }, "canLink": !linkable.isEmpty,
            "linkable": linkable.map {
                ["id": $0.id, "label": text.linked($0.name), "mark": $0.mark] as [String: Any]
            },
        ]
        if isRequestedAction { values["cancel"] = strings.cancel }
        values["showsNone"] = items.isEmpty && (!isRequestedAction || linkable.isEmpty)
        switch problem {
        case .lastWay: values["problem"] = text.lastWay
        case .provider(let problem, let name):
            values["problem"] = strings[FederationStrings.self].problem(problem, name)
        case nil: if let isLinked { values["notice"] = text.done(isLinked) }
        }
        return form.values(values)
    }

    private func row(_ item: Item, _ strings: Strings) -> [String: Any] {
        var row: [String: Any] = [
            "id": item.id, "name": item.provider.name, "mark": item.provider.mark,
            "facts": strings[ConnectionsStrings.self].facts(
                strings.time.since(item.linkedSecondsAgo), strings.time.since(item.usedSecondsAgo)),
        ]
        row["account"] = item.account
        return row
    }
}
