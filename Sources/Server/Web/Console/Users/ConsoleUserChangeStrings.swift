internal import Texts

/// What the page of changes says.
struct ConsoleUserChangeStrings: PageTexts {
    static let group = "consoleUserChange"
    let texts: TextGroup

    func title(_ name: String) -> String { texts["title", ["name": name]] }
    var addressHint: String { texts["addressHint"] }
    var add: String { texts["add"] }
    var newLoginID: String { texts["newLoginID"] }
    var projectRoles: String { texts["projectRoles"] }
    var noRoles: String { texts["noRoles"] }
    var noTenants: String { texts["noTenants"] }
    var join: String { texts["join"] }
    var leave: String { texts["leave"] }
    var impersonateTitle: String { texts["impersonateTitle"] }
    var impersonate: String { texts["impersonate"] }
    var impersonateHint: String { texts["impersonateHint"] }
    var mergeTitle: String { texts["mergeTitle"] }
    var merge: String { texts["merge"] }
    var mergeHint: String { texts["mergeHint"] }
    var other: String { texts["other"] }
    var deleteTitle: String { texts["deleteTitle"] }
    var delete: String { texts["delete"] }
    var tokenTitle: String { texts["tokenTitle"] }
    var tokenLead: String { texts["tokenLead"] }
    var back: String { texts["back"] }
    var copy: String { texts["copy"] }
    var copied: String { texts["copied"] }
    func deleteSure(_ name: String) -> String { texts["deleteSure", ["name": name]] }
    func leaveSure(_ name: String) -> String { texts["leaveSure", ["name": name]] }
    func removeLoginIDSure(_ name: String) -> String { texts["removeLoginIDSure", ["name": name]] }
    func notice(_ notice: ConsoleUserChangePage.Notice) -> String {
        switch notice {
        case .profileSaved: texts["notice.profileSaved"]
        case .loginIDAdded: texts["notice.loginIDAdded"]
        case .loginIDRemoved: texts["notice.loginIDRemoved"]
        case .rolesSaved: texts["notice.rolesSaved"]
        case .tenantAdded: texts["notice.tenantAdded"]
        case .tenantRemoved: texts["notice.tenantRemoved"]
        }
    }
}
