internal import Authority
internal import Model

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
        case granted, removed, voided
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
