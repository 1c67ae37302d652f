internal import Texts

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
