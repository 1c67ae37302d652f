internal import Texts

/// What the page of connections says.
struct ConsoleConnectionsStrings: PageTexts {
    static let group = "consoleConnections"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var name: String { texts["name"] }
    var kindTitle: String { texts["kindTitle"] }
    var tenant: String { texts["tenant"] }
    var domains: String { texts["domains"] }
    var state: String { texts["state"] }
    var enabled: String { texts["enabled"] }
    var disabled: String { texts["disabled"] }
    var ofFile: String { texts["ofFile"] }
    var empty: String { texts["empty"] }
    var add: String { texts["add"] }
    var addHint: String { texts["addHint"] }
    var document: String { texts["document"] }
    var create: String { texts["create"] }
    var noJSON: String { texts["noJSON"] }
    var removed: String { texts["removed"] }
    /// Which settings are an owner's.
    var ownersPart: String { texts["ownersPart"] }
    func ownerNeeded(_ members: [String]) -> String {
        texts["ownerNeeded", ["members": members.joined(separator: ", ")]]
    }
    func unreadable(_ id: String) -> String { texts["unreadable", ["id": id]] }
    func kind(_ kind: ConsoleConnectionsPage.Kind) -> String {
        switch kind {
        case .openID: texts["kind.openID"]
        case .saml: texts["kind.saml"]
        case .ldap: texts["kind.ldap"]
        }
    }
}
