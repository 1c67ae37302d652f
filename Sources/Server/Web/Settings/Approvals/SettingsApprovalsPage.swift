internal import Model

/// Sign-ins on other devices that wait for the user's approval.
struct SettingsApprovalsPage: SettingsPage {
    struct Item: Sendable {
        /// Names the request in the form.
        let id: String
        let clientName: String
        /// `binding_message`, as the other device shows it.
        let message: String?
        let scopes: [String]
        /// Claims that the client would hear by name.
        var claims: Set<String> = []
        /// The services that the client's tokens would be for.
        var resources: [NamedResource] = []
        /// A network address; `nil`: not known.
        let network: String?
        /// Such as “Firefox on Linux”; `nil`: not known.
        let device: String?
        /// Whether it opens a session in another browser, rather than giving a client tokens.
        let isSession: Bool
        let secondsAgo: Int
    }

    enum Notice: String, Sendable, CaseIterable {
        case allowed, denied, blocked
    }

    enum Problem: Sendable, CaseIterable {
        /// No number of two digits was typed; nothing was decided.
        case noNumber
        /// The number was wrong: the request is denied.
        case wrongNumber
        case tooLate
    }

    static let template = PageTemplate.approvals
    static let section = SettingsSection.approvals
    let form: PageForm
    let settingsUser: SettingsUser?
    let items: [Item]
    let notice: Notice?
    let problem: Problem?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ApprovalsStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "hasAny": !items.isEmpty,
            "items": items.enumerated().map { row($0.element, $0.offset, strings) },
            // A page has one main button at most.
            "style": items.count == 1 ? "primary" : "way",
        ]
        if let problem {
            values["problem"] = text.problem(problem)
        } else if let notice {
            values["notice"] = text.notice(notice)
        }
        return form.values(values)
    }

    private func row(_ item: Item, _ index: Int, _ strings: Strings) -> [String: Any] {
        let text = strings[ApprovalsStrings.self]
        var row: [String: Any] = [
            "id": item.id, "index": index,
            "scopes": item.scopes.map(strings.scope) + strings.claims(item.claims)
                + item.resources.map(strings.resource),
            "claims": item.claims.sorted().joined(separator: " "), "hasScopes": !item.isSession,
            "title": item.isSession ? text.asksSession(item.clientName) : text.asks(item.clientName),
            "asked": text.asked(strings.time.since(item.secondsAgo), item.network),
        ]
        row["message"] = item.message
        row["device"] = item.device
        return row
    }
}
