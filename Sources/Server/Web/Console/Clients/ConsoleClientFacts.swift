internal import Account
internal import KeyturnWire
internal import Model
internal import Texts

/// What the console says about a client.
struct ConsoleClientFacts: Sendable {
    let client: Client
    /// `nil`: it is not known when it was registered.
    let registeredSecondsAgo: Int?

    init(_ client: Client, registeredSecondsAgo: Int?) {
        self.client = client
        self.registeredSecondsAgo = registeredSecondsAgo
    }

    /// The address of its page.
    var uri: String { ConsoleMiddleware.address(ConsoleRoutes.clientPath, ["id": client.id]) }

    func kind(_ text: ConsoleClientsStrings) -> String { client.isPublic ? text.publicKind : text.confidentialKind }

    func authentication(_ text: ConsoleClientsStrings) -> String {
        client.authenticationMethod.map(text.authentication) ?? client.metadata.tokenEndpointAuthMethod ?? ""
    }

    func grantTypes(_ text: ConsoleClientsStrings) -> [String] {
        (client.metadata.grantTypes ?? [GrantType.authorizationCode.rawValue]).map(text.grantType)
    }

    func origin(_ strings: Strings) -> String {
        let text = strings[ConsoleClientsStrings.self]
        if client.isFromConfiguration { return text.fromFile }
        guard client.registration != nil else { return text.fromOperator }
        guard let registeredSecondsAgo else { return text.fromItself }
        return text.fromItself(strings.time.since(registeredSecondsAgo))
    }
}
