internal import Authority
internal import Account
internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Tenants, roles and permissions.
extension ManagementRoutes {
    private var access: ManagedAccess { services.managedAccess }

    var tenantRoutes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/tenant/create", for: .changeTenants) { request in
                ["id": .string(try await access.createTenant(request.body, by: request.actor).id)]
            },
            frame.route(.post, "/v1/mgmt/tenant/update") { request in
                json(try await access.updateTenant(request.body, isPatch: false, by: request.actor))
            },
            frame.route(.patch, "/v1/mgmt/tenant/patch") { request in
                json(try await access.updateTenant(request.body, isPatch: true, by: request.actor))
            },
            frame.route(.post, "/v1/mgmt/tenant/delete", for: .changeTenants) { request in
                try await access.deleteTenant(request.body, by: request.actor)
                return [:]
            },
            frame.route(.get, "/v1/mgmt/tenant", for: .readProject) { request in
                var members: [String: JSONValue] = [:]
                members["id"] = request.parameter("id").map(JSONValue.string)
                return json(try access.tenant(MethodBody(members)))
            },
            frame.route(.get, "/v1/mgmt/tenant/all", for: .readProject) { _ in list(services.directory.tenants) },
            frame.route(.post, "/v1/mgmt/tenant/search", for: .readProject) { request in
                let ids = try request.body.texts("tenantIds")
                let names = try request.body.texts("tenantNames")
                let domains = try request.body.texts("tenantSelfProvisioningDomains")
                return list(
                    services.directory.tenants.filter { tenant in
                        (ids.isEmpty || ids.contains(tenant.id)) && (names.isEmpty || names.contains(tenant.name))
                            && (domains.isEmpty || tenant.selfProvisioningDomains.contains(where: domains.contains))
                    })
            },
        ]
    }

    var roleRoutes: [Route] {
        [
            frame.route(.post, "/v1/mgmt/role/create", for: .changeTenants) { request in
                json(try await access.createRole(request.body, by: request.actor))
            },
            frame.route(.post, "/v1/mgmt/role/update") { request in
                json(try await access.updateRole(request.body, by: request.actor))
            },
            frame.route(.post, "/v1/mgmt/role/delete", for: .changeTenants) { request in
                try await access.deleteRole(request.body, by: request.actor)
                return [:]
            },
            frame.route(.get, "/v1/mgmt/role/all", for: .readProject) { _ in
                ["roles": .array(services.directory.roles.map(json))]
            },
            frame.route(.post, "/v1/mgmt/role/search", for: .readProject, run: searchRoles),
            frame.route(.post, "/v1/mgmt/permission/create", for: .changeTenants) { request in
                json(try await access.createPermission(request.body, by: request.actor))
            },
            frame.route(.post, "/v1/mgmt/permission/update") { request in
                json(try await access.updatePermission(request.body, by: request.actor))
            },
            frame.route(.post, "/v1/mgmt/permission/delete") { request in
                try await access.deletePermission(request.body, by: request.actor)
                return [:]
            },
            frame.route(.get, "/v1/mgmt/permission/all", for: .readProject) { _ in
                ["permissions": .array(services.directory.permissions.map(json))]
            },
        ]
    }

    private func searchRoles(_ request: ManagementRequest) async throws -> JSONValue {
        let body = request.body
        let tenants = try body.texts("tenantIds")
        let names = try body.texts("roleNames")
        let part = try body.text("roleNameLike")
        let permissions = try body.texts("permissionNames")
        let withProject = try body.flag("includeProjectRoles") ?? tenants.isEmpty
        let found = services.directory.roles.filter { role in
            (role.tenantID.map { tenants.isEmpty || tenants.contains($0) } ?? withProject)
                && (names.isEmpty || names.contains(role.name)) && (part.map(role.name.contains) ?? true)
                && permissions.allSatisfy(role.permissions.contains)
        }
        return ["roles": .array(found.map(json))]
    }

    private func list(_ tenants: [Tenant]) -> JSONValue {
        ["tenants": .array(tenants.map(json))]
    }

    private func json(_ tenant: Tenant) -> JSONValue {
        [
            "id": .string(tenant.id), "name": .string(tenant.name),
            "selfProvisioningDomains": .array(tenant.selfProvisioningDomains.map(JSONValue.string)),
            "customAttributes": .object(tenant.attributes), "createdTime": .integer(tenant.createdAt.rawValue),
            "enforceSSO": .bool(tenant.requiresSingleSignOn),
            "enforceSSOExclusions": .array(tenant.singleSignOnExclusions.map(JSONValue.string)),
        ]
    }

    private func json(_ role: Role) -> JSONValue {
        [
            "id": .string(role.id), "name": .string(role.name), "description": .string(role.description),
            "permissionNames": .array(role.permissions.map(JSONValue.string)),
            "tenantId": .string(role.tenantID ?? ""), "default": .bool(role.isDefault),
            "createdTime": .integer(role.createdAt.rawValue),
        ]
    }

    private func json(_ permission: Permission) -> JSONValue {
        [
            "id": .string(permission.name), "name": .string(permission.name),
            "description": .string(permission.description), "systemDefault": false,
        ]
    }
}
