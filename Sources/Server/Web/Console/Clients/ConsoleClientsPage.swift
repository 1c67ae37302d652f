internal import Authority
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
