internal import KeyturnWire
internal import Model
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

extension ConsoleClientsStrings {
    /// The name of a grant type; what it is called on the wire, if this release has no name for it.
    func grantType(_ name: String) -> String {
        switch GrantType(rawValue: name) {
        case .authorizationCode: texts["grant.code"]
        case .refreshToken: texts["grant.refresh"]
        case .clientCredentials: texts["grant.client"]
        case .jwtBearer: texts["grant.assertion"]
        case .tokenExchange: texts["grant.exchange"]
        case .deviceCode: texts["grant.device"]
        case .ciba: texts["grant.backchannel"]
        case .appToApp: texts["grant.app"]
        case .anonymousRequest: texts["grant.anonymous"]
        case .biometricRequest: texts["grant.biometric"]
        default: name
        }
    }

    func authentication(_ method: ClientAuthenticationMethod) -> String {
        switch method {
        case .clientSecretBasic: texts["method.basic"]
        case .clientSecretPost: texts["method.post"]
        case .none: texts["method.none"]
        case .privateKeyJWT: texts["method.key"]
        }
    }
}
