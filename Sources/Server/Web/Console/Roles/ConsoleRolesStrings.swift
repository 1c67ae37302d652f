internal import Authority
internal import Model
internal import Texts

/// What the page of roles says.
struct ConsoleRolesStrings: PageTexts {
    static let group = "consoleRoles"
    let texts: TextGroup

    var title: String { texts["title"] }
    var lead: String { texts["lead"] }
    var role: String { texts["role"] }
    var tenant: String { texts["tenant"] }
    var project: String { texts["project"] }
    var permissions: String { texts["permissions"] }
    var description: String { texts["description"] }
    var isDefault: String { texts["isDefault"] }
    var empty: String { texts["empty"] }
    var add: String { texts["add"] }
    var name: String { texts["name"] }
    var permissionsHint: String { texts["permissionsHint"] }
    var defaultHint: String { texts["defaultHint"] }
    var create: String { texts["create"] }
    var change: String { texts["change"] }
    var remove: String { texts["remove"] }
    var permission: String { texts["permission"] }
    var ofRoles: String { texts["ofRoles"] }
    func roleSure(_ name: String) -> String { texts["roleSure", ["name": name]] }
    func permissionSure(_ name: String) -> String { texts["permissionSure", ["name": name]] }
    func notice(_ notice: ConsoleRolesPage.Notice) -> String {
        switch notice {
        case .roleCreated: texts["notice.roleCreated"]
        case .roleSaved: texts["notice.roleSaved"]
        case .roleRemoved: texts["notice.roleRemoved"]
        case .permissionRemoved: texts["notice.permissionRemoved"]
        }
    }
}
