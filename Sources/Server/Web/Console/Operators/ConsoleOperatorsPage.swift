internal import Model
internal import Texts

/// The operators of the console, and the form that makes one.
struct ConsoleOperatorsPage: ConsolePage {
    struct Row: Sendable {
        /// The user's identifier.
        let id: String
        let name: String
        let role: ConsoleRole
        let secondsAgo: Int
        let hasSecondFactor: Bool
    }

    enum Notice: String, Sendable, CaseIterable {
        case granted, removed
    }

    static let template = PageTemplate.consoleOperators
    static let section = ConsoleSection.operators
    let visitor: ConsoleVisitor
    let form: PageForm
    let operators: [Row]
    /// The login ID that was typed.
    var typed = ""
    var problem: String?
    var notice: Notice?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleOperatorsStrings.self]
        let console = strings[ConsoleStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "typed": typed, "mayChange": visitor.may(.owner),
            "actionsTitle": console.actions,
            "roles": ConsoleRole.allCases.map { role in
                ["value": role.rawValue, "name": console.role(role), "may": text.may(role)]
            },
            "operators": operators.map { row($0, strings) },
        ]
        values["problem"] = problem
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func row(_ row: Row, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleOperatorsStrings.self]
        return [
            "id": row.id, "name": row.name, "role": strings[ConsoleStrings.self].role(row.role),
            "since": strings.time.since(row.secondsAgo), "hasFactor": row.hasSecondFactor,
            "factor": row.hasSecondFactor ? text.hasFactor : text.lacksFactor, "sure": text.sure(row.name),
        ]
    }
}

/// What the page of operators says.
struct ConsoleOperatorsStrings: PageTexts {
    static let group = "consoleOperators"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var user: String { texts["user"] }
    var role: String { texts["role"] }
    var since: String { texts["since"] }
    var factor: String { texts["factor"] }
    var hasFactor: String { texts["hasFactor"] }
    var lacksFactor: String { texts["lacksFactor"] }
    var add: String { texts["add"] }
    var userHint: String { texts["userHint"] }
    var grant: String { texts["grant"] }
    var remove: String { texts["remove"] }
    var rolesTitle: String { texts["rolesTitle"] }
    func sure(_ name: String) -> String { texts["sure", ["name": name]] }
    func may(_ role: ConsoleRole) -> String {
        switch role {
        case .viewer: texts["may.viewer"]
        case .support: texts["may.support"]
        case .operator: texts["may.operator"]
        case .owner: texts["may.owner"]
        }
    }
    func notice(_ notice: ConsoleOperatorsPage.Notice) -> String {
        switch notice {
        case .granted: texts["notice.granted"]
        case .removed: texts["notice.removed"]
        }
    }
}
