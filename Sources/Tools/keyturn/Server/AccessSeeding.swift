internal import Authority
internal import Identity
internal import KeyturnBase
internal import Model

/// Brings tenants, roles and their permissions of the configuration file into the database. What others have made stays.
enum AccessSeeding {
    static func apply(_ configuration: ServerConfiguration, to services: IdentityServices) async throws {
        let directory = services.directory
        try await directory.reload()
        for tenant in configuration.tenants { try await apply(tenant, to: services) }
        let known = Set(directory.permissions.map(\.name))
        for name in Set(configuration.roles.flatMap(\.permissions)).subtracting(known).sorted() {
            try await services.stores.roles.create(
                Permission(name: name), by: try permission(of: nil, services))
        }
        for role in configuration.roles { try await apply(role, to: services) }
        try await directory.reload()
    }

    private static func apply(_ tenant: TenantConfiguration, to services: IdentityServices) async throws {
        let present = services.directory.tenant(tenant.id)
        var wanted = present ?? Tenant(id: tenant.id, name: tenant.name, createdAt: services.ambient.now())
        wanted.name = tenant.name
        wanted.requiresSingleSignOn = tenant.requiresSingleSignOn ?? wanted.requiresSingleSignOn
        wanted.singleSignOnExclusions = tenant.singleSignOnExclusions ?? wanted.singleSignOnExclusions
        if present == nil {
            try await services.stores.tenants.create(wanted, by: try permission(of: tenant.id, services))
        } else if wanted != present {
            try await services.stores.tenants.update(wanted, by: try permission(of: tenant.id, services))
        }
    }

    private static func apply(_ role: RoleConfiguration, to services: IdentityServices) async throws {
        let permissions = Set(role.permissions).sorted()
        guard var existing = services.directory.role(named: role.name, exactlyIn: nil) else {
            return try await services.stores.roles.create(
                Role(
                    id: "R\(services.ambient.randomToken(byteCount: 16))", tenantID: nil, name: role.name,
                    permissions: permissions, createdAt: services.ambient.now()),
                by: try permission(of: nil, services))
        }
        guard existing.permissions != permissions else { return }
        existing.permissions = permissions
        try await services.stores.roles.update(existing, by: try permission(of: nil, services))
    }

    private static func permission(of tenant: String?, _ services: IdentityServices) throws -> Allowed<
        Acts.ChangeTenants
    > {
        try services.project.rulebook.permit(
            Acts.ChangeTenants.self, to: .machine(.configuration), on: .project(tenant: tenant))
    }

    /// Where the file says that a user belongs. The configuration's own check has seen that every name is there.
    static func memberships(of user: UserConfiguration, _ services: IdentityServices) -> [String: [String]] {
        Dictionary(
            user.tenants.map { membership in
                let roles = membership.roles.compactMap {
                    services.directory.role(named: $0, in: membership.tenant)?.id
                }
                return (membership.tenant, roles)
            }
        ) { first, _ in first }
    }
}
