internal import Authority
internal import Model

/// Roles with their permissions, and the form that makes a role.
struct ConsoleRolesPage: ConsolePage {
    struct Row: Sendable {
        let role: Role
        /// The name of its tenant; `nil`: it is the project's.
        let tenant: String?
    }

    enum Notice: String, Sendable, CaseIterable {
        case roleCreated = "create-role"
        case roleSaved = "save-role"
        case roleRemoved = "remove-role"
        case permissionRemoved = "remove-permission"
    }

    static let template = PageTemplate.consoleRoles
    static let section = ConsoleSection.roles
    let visitor: ConsoleVisitor
    let form: PageForm
    let roles: [Row]
    /// With the roles that have them.
    let permissions: [(name: String, description: String, roles: [String])]
    let tenants: [(id: String, name: String)]
    var problem: String?
    var notice: Notice?

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleRolesStrings.self]
        let console = strings[ConsoleStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "text": text, "mayChange": visitor.may(.operator),
            "hasRoles": !roles.isEmpty, "hasPermissions": !permissions.isEmpty, "actionsTitle": console.actions,
            "save": console.save,
            "roles": roles.enumerated().map { row($0, $1, text, console) },
            "permissions": permissions.map { permission in
                [
                    "name": permission.name, "description": permission.description,
                    "roles": permission.roles.joined(separator: ", "), "sure": text.permissionSure(permission.name),
                ]
            },
            "tenants": tenants.map { ["id": $0.id, "name": $0.name] },
        ]
        values["problem"] = problem
        if let notice { values["notice"] = text.notice(notice) }
        return form.values(values)
    }

    private func row(
        _ number: Int, _ row: Row, _ text: ConsoleRolesStrings, _ console: ConsoleStrings
    ) -> [String: Any] {
        [
            "number": number, "id": row.role.id, "name": row.role.name, "description": row.role.description,
            "tenant": row.tenant ?? text.project, "isDefault": row.role.isDefault,
            "permissions": row.role.permissions, "typed": row.role.permissions.joined(separator: "\n"),
            "sure": text.roleSure(row.role.name),
        ]
    }
}
