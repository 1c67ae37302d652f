internal import Model
internal import Texts

/// The list of clients.
struct ConsoleClientsPage: ConsolePage {
    enum Notice: Sendable {
        case removed
    }

    static let template = PageTemplate.consoleClients
    static let section = ConsoleSection.clients
    let visitor: ConsoleVisitor
    let query: String
    let clients: [ConsoleClientFacts]
    let pager: ConsolePager
    var notice: Notice?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleClientsStrings.self]
        let console = strings[ConsoleStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "query": query, "search": console.search,
            "clients": clients.map { row($0, strings) }, "isEmpty": clients.isEmpty, "pager": pager.values(strings),
        ]
        if visitor.may(.operator) { values["newURI"] = ConsoleRoutes.newClientPath }
        if notice == .removed { values["notice"] = text.removed }
        return values
    }

    private func row(_ facts: ConsoleClientFacts, _ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleClientsStrings.self]
        let console = strings[ConsoleStrings.self]
        return [
            "uri": facts.uri, "id": facts.client.id, "name": facts.client.name, "kind": facts.kind(text),
            "authentication": facts.authentication(text), "grants": facts.grantTypes(text).joined(separator: ", "),
            "firstParty": facts.client.isFirstParty ? console.yes : console.no, "origin": facts.origin(strings),
        ]
    }
}

/// What the list of clients says, and what all pages of clients call things.
struct ConsoleClientsStrings: PageTexts {
    static let group = "consoleClients"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var add: String { texts["add"] }
    var searchHint: String { texts["searchHint"] }
    var empty: String { texts["empty"] }
    var removed: String { texts["removed"] }
    var name: String { texts["name"] }
    var id: String { texts["id"] }
    var kind: String { texts["kind"] }
    var publicKind: String { texts["publicKind"] }
    var confidentialKind: String { texts["confidentialKind"] }
    var authentication: String { texts["authentication"] }
    var grantTypes: String { texts["grantTypes"] }
    var firstParty: String { texts["firstParty"] }
    var origin: String { texts["origin"] }
    var fromFile: String { texts["fromFile"] }
    var fromOperator: String { texts["fromOperator"] }
    var fromItself: String { texts["fromItself"] }
    func fromItself(_ since: String) -> String { texts["fromItselfSince", ["since": since]] }
}
