internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

extension ConsoleSection {
    static let roles: ConsoleSection = .init(
        path: "/admin/roles", title: { $0[ConsoleRolesStrings.self].title },
        routes: { routes in
            [
                routes.page(.roles, routes.showRoles),
                routes.form(.roles, for: .changeTenants, routes.changeRoles),
            ]
        })
}

/// `/admin/roles`: roles and permissions of the project and of its tenants.
extension ConsoleRoutes {
    @Sendable func showRoles(_ opened: ConsoleRequest) async throws -> Response {
        rolesPage(opened)
    }

    @Sendable func changeRoles(_ form: ConsoleForm) async throws -> Response {
        let access = services.managedAccess
        let named: [String: JSONValue] = ["name": .string(form.value("name") ?? "")]
        do {
            switch form.action {
            case "create-role": try await createRole(named, form)
            case "save-role":
                try await makePermissions(form)
                _ = try await access.updateRole(MethodBody(Self.members(form, in: ["id": "role"])), by: form.actor)
            case "remove-role":
                try await access.deleteRole(MethodBody(["id": .string(form.value("role") ?? "")]), by: form.actor)
            case "remove-permission":
                try await access.deletePermission(MethodBody(named), by: form.actor)
            default: return frame.done(nil, at: ConsoleSection.roles.path)
            }
        } catch let problem as MethodProblem {
            return rolesPage(form.request, problem: problem.shown)
        }
        return frame.done(form.action, at: ConsoleSection.roles.path)
    }

    private func createRole(_ named: [String: JSONValue], _ form: ConsoleForm) async throws {
        try await makePermissions(form)
        var members = named.merging(Self.members(form, in: ["tenantId": "tenant"])) { first, _ in first }
        members["default"] = .bool(form.value("default") != nil)
        _ = try await services.managedAccess.createRole(MethodBody(members), by: form.actor)
    }

    /// The members of a call that the fields of a form say.
    ///
    /// - Parameter names: members and the fields that they have other names as.
    private static func members(_ form: ConsoleForm, in names: [String: String]) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "description": .string(form.value("description") ?? ""),
            "permissionNames": .array(permissions(form).map(JSONValue.string)),
        ]
        for (member, field) in names { members[member] = form.value(field).map(JSONValue.string) }
        return members
    }

    private static func permissions(_ form: ConsoleForm) -> [String] {
        (form.value("permissions") ?? "").split { $0 == "," || $0.isWhitespace }.map(String.init)
    }

    /// Permissions of the form that are new are made first, as the command line does it.
    private func makePermissions(_ form: ConsoleForm) async throws {
        let known = Set(services.directory.permissions.map(\.name))
        for name in Set(Self.permissions(form)).subtracting(known).sorted() {
            _ = try await services.managedAccess.createPermission(
                MethodBody(["name": .string(name)]), by: form.actor)
        }
    }

    private func rolesPage(_ opened: ConsoleRequest, problem: String? = nil) -> Response {
        let directory = services.directory
        let roles = directory.roles.sorted { ($0.tenantID ?? "", $0.name) < ($1.tenantID ?? "", $1.name) }
        let used = Dictionary(grouping: roles.flatMap { role in role.permissions.map { ($0, role.name) } }, by: \.0)
        let page = ConsoleRolesPage(
            visitor: frame.visitor(opened), form: frame.form(opened, to: ConsoleSection.roles.path),
            roles: roles.map { role in
                ConsoleRolesPage.Row(
                    role: role, tenant: role.tenantID.map { directory.tenant($0)?.name ?? $0 })
            },
            permissions: directory.permissions.map { permission in
                (permission.name, permission.description, (used[permission.name] ?? []).map(\.1))
            },
            tenants: directory.tenants.map { ($0.id, $0.name) }, problem: problem,
            notice: opened.done.flatMap(ConsoleRolesPage.Notice.init))
        return frame.page(page, opened, status: problem == nil ? .ok : .unprocessableContent)
    }
}
