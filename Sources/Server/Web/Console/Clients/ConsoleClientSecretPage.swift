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
