internal import Authority
internal import KeyturnBase
internal import Model

/// Tenants.
struct ValueTenantStore: TenantStore {
    let database: ValueDatabase

    func all(limit: Int) throws(StoreError) -> [Tenant] {
        try database.read { world in Array(world.tenants.values.sorted { $0.id < $1.id }.prefix(limit)) }
    }

    func create(_ tenant: Tenant, by permission: borrowing Allowed<Acts.ChangeTenants>) throws(StoreError) {
        try permission.grounds.requireProject(of: tenant.id)
        try database.write { world in
            guard world.tenants[tenant.id] == nil else { throw StoreError(.conflict) }
            world.tenants[tenant.id] = tenant
        }
    }

    func update(_ tenant: Tenant, by permission: borrowing Allowed<Acts.ChangeTenants>) throws(StoreError) {
        try permission.grounds.requireProject(of: tenant.id)
        try database.write { world in
            guard let old = world.tenants[tenant.id] else { throw StoreError(.missing) }
            world.tenants[tenant.id] = Tenant(
                id: tenant.id, name: tenant.name, selfProvisioningDomains: tenant.selfProvisioningDomains,
                attributes: tenant.attributes, requiresSingleSignOn: tenant.requiresSingleSignOn,
                singleSignOnExclusions: tenant.singleSignOnExclusions, createdAt: old.createdAt)
        }
    }

    func delete(by permission: borrowing Allowed<Acts.ChangeTenants>, at now: UnixTime) throws(StoreError) -> Bool {
        let id = try permission.grounds.requireTenant()
        return try database.write { world in
            guard world.tenants.removeValue(forKey: id) != nil else { return false }
            for role in world.roles.values where role.tenantID == id { world.removeRole(role.id) }
            for user in world.users.keys { world.users[user]?.memberships.tenants[id] = nil }
            for resource in world.resources.values where resource.tenantID == id {
                world.removeResource(resource.number)
            }
            world.tenantDomains = world.tenantDomains.filter { $0.key.tenantID != id }
            for connection in world.connections.values where connection.tenantID == id {
                world.connections[connection.id] = nil
                world.forget(connection: connection.id)
            }
            world.provisioningTokens = world.provisioningTokens.filter { $0.value.tenantID != id }
            world.sessions = world.sessions.filter { $0.value.session.authentication.tenantID != id }
            world.endGrants(.administrator, at: now) { $0.grant.authentication.tenantID == id }
            for (key, row) in world.grants where row.grant.tenantID == id { world.grants[key]?.grant.tenantID = nil }
            return true
        }
    }
}
