internal import Authority
internal import Model

/// The tenants, and the form that makes one.
struct ConsoleTenantsPage: ConsolePage {
    struct Row: Sendable {
        let id: String
        let name: String
        let domains: [String]
        /// How many identity providers it has.
        let connections: Int
        let requiresSingleSignOn: Bool
        let secondsAgo: Int
    }

    static let template = PageTemplate.consoleTenants
    static let section = ConsoleSection.tenants
    let visitor: ConsoleVisitor
    let form: PageForm
    let tenants: [Row]
    var typedID = ""
    var typedName = ""
    var problem: String?
    var wasRemoved = false

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleTenantsStrings.self]
        let console = strings[ConsoleStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "mayChange": visitor.may(.operator), "isEmpty": tenants.isEmpty,
            "typedID": typedID, "typedName": typedName,
            "tenants": tenants.map { row in
                [
                    "uri": ConsoleMiddleware.address(ConsoleTenantPage.path, ["id": row.id]), "id": row.id,
                    "name": row.name, "domains": row.domains.joined(separator: ", "), "connections": row.connections,
                    "required": row.requiresSingleSignOn ? console.yes : console.no,
                    "since": strings.time.since(row.secondsAgo),
                ] as [String: Any]
            },
        ]
        values["problem"] = problem
        if wasRemoved { values["notice"] = text.removed }
        return form.values(values)
    }
}
