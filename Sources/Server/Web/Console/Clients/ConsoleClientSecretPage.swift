internal import KeyturnBase
internal import Model
internal import Texts

/// A client's secret, which is shown once.
struct ConsoleClientSecretPage: ConsolePage {
    static let template = PageTemplate.consoleClientSecret
    static let section = ConsoleSection.clients
    let visitor: ConsoleVisitor
    let id: String
    let name: String
    let secret: Secret
    /// Whether the client was just registered.
    let isNew: Bool
    /// Whether the secret before this one is still good.
    let keepsOld: Bool

    func title(_ strings: Strings) -> String {
        let text = strings[ConsoleClientSecretStrings.self]
        return isNew ? text.registered(name) : text.rotated(name)
    }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleClientSecretStrings.self]
        return [
            "heading": title(strings), "text": text, "id": id, "secret": secret.exposed(),
            "idName": strings[ConsoleClientsStrings.self].id,
            "old": isNew ? "" : keepsOld ? text.oldGood : text.oldBad,
            "uri": ConsoleMiddleware.address(ConsoleRoutes.clientPath, ["id": id]),
        ]
    }
}

/// What the page with a client's secret says.
struct ConsoleClientSecretStrings: PageTexts {
    static let group = "consoleClientSecret"
    let texts: TextGroup

    var lead: String { texts["lead"] }
    var secret: String { texts["secret"] }
    var copy: String { texts["copy"] }
    var copied: String { texts["copied"] }
    var oldGood: String { texts["oldGood"] }
    var oldBad: String { texts["oldBad"] }
    var goOn: String { texts["goOn"] }
    func registered(_ name: String) -> String { texts["registered", ["name": name]] }
    func rotated(_ name: String) -> String { texts["rotated", ["name": name]] }
}
