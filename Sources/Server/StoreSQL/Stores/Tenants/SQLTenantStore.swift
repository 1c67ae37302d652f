internal import Authority
internal import KeyturnBase
internal import Model

/// Tenants.
struct SQLTenantStore: TenantStore {
    let database: any SQLDatabase

    func all(limit: Int) async throws(StoreError) -> [Tenant] {
        try await database.read { db in
            try db.all(
                """
                SELECT id, name, domains, attributes, requires_sso, sso_exclusions, created_at FROM tenant
                ORDER BY id LIMIT ?
                """, [limit]
            ).map { row in
                Tenant(
                    id: row["id"], name: row["name"], selfProvisioningDomains: try row.list("domains"),
                    attributes: try row.members("attributes"), requiresSingleSignOn: row["requires_sso"],
                    singleSignOnExclusions: try row.list("sso_exclusions"), createdAt: row.time("created_at"))
            }
        }
    }

    func create(_ tenant: Tenant, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError) {
        try permission.grounds.requireProject(of: tenant.id)
        _ = try await database.write(.serializable) { db in
            try db.run(
                """
                INSERT INTO tenant (id, name, domains, attributes, requires_sso, sso_exclusions, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    tenant.id, tenant.name, tenant.selfProvisioningDomains.columnText,
                    JSONValue.object(tenant.attributes).columnText, tenant.requiresSingleSignOn,
                    tenant.singleSignOnExclusions.columnText, tenant.createdAt.rawValue,
                ])
        }
    }

    func update(_ tenant: Tenant, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError) {
        try permission.grounds.requireProject(of: tenant.id)
        try await database.write(.serializable) { db in
            let changed = try db.run(
                """
                UPDATE tenant SET name = ?, domains = ?, attributes = ?, requires_sso = ?, sso_exclusions = ? WHERE id = ?
                """,
                [
                    tenant.name, tenant.selfProvisioningDomains.columnText,
                    JSONValue.object(tenant.attributes).columnText, tenant.requiresSingleSignOn,
                    tenant.singleSignOnExclusions.columnText, tenant.id,
                ])
            guard changed == 1 else { throw StoreError(.missing) }
        }
    }

    func delete(by permission: borrowing Allowed<Acts.ChangeTenants>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        let id = try permission.grounds.requireTenant()
        return try await database.write(.serializable) { db in
            try SQLAccessKeyStore.forget(tenant: id, db)
            for row in try db.all("SELECT id FROM connection WHERE tenant_id = ?", [id]) {
                try SQLFederatedIdentityStore.forget(connection: row["id"], db, at: now)
            }
            guard try db.run("DELETE FROM tenant WHERE id = ?", [id]) == 1 else { return false }
            try Self.forget(id, db, at: now)
            return true
        }
    }

    /// A tenant of the same name is another one: what this one vouched for counts for nothing there, and no user selected it.
    private static func forget(_ tenant: String, _ db: SQLSession, at now: UnixTime) throws {
        try db.run("DELETE FROM session WHERE vouched_by = ?", [tenant])
        try SQLGrantStore.end("vouched_by = ?", [tenant], .administrator, db, at: now)
        try db.run("UPDATE grant_ SET tenant = NULL WHERE tenant = ?", [tenant])
    }
}
