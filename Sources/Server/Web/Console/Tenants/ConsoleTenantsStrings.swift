internal import Texts

/// What the page of tenants says.
struct ConsoleTenantsStrings: PageTexts {
    static let group = "consoleTenants"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var name: String { texts["name"] }
    var id: String { texts["id"] }
    var domains: String { texts["domains"] }
    var connections: String { texts["connections"] }
    var required: String { texts["required"] }
    var since: String { texts["since"] }
    var empty: String { texts["empty"] }
    var add: String { texts["add"] }
    var idHint: String { texts["idHint"] }
    var create: String { texts["create"] }
    var removed: String { texts["removed"] }
}
