internal import Authority
internal import Model
internal import Texts

/// What the page of operators says.
struct ConsoleOperatorsStrings: PageTexts {
    static let group = "consoleOperators"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var user: String { texts["user"] }
    var role: String { texts["role"] }
    var since: String { texts["since"] }
    var factor: String { texts["factor"] }
    var hasFactor: String { texts["hasFactor"] }
    var lacksFactor: String { texts["lacksFactor"] }
    var add: String { texts["add"] }
    var userHint: String { texts["userHint"] }
    var grant: String { texts["grant"] }
    var remove: String { texts["remove"] }
    var rolesTitle: String { texts["rolesTitle"] }
    func sure(_ name: String) -> String { texts["sure", ["name": name]] }
    func may(_ role: ConsoleRole) -> String {
        switch role {
        case .viewer: texts["may.viewer"]
        case .support: texts["may.support"]
        case .operator: texts["may.operator"]
        case .owner: texts["may.owner"]
        }
    }
    func notice(_ notice: ConsoleOperatorsPage.Notice) -> String {
        switch notice {
        case .granted: texts["notice.granted"]
        case .removed: texts["notice.removed"]
        case .voided: texts["notice.voided"]
        }
    }
}
