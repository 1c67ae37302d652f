internal import Authority
internal import KeyturnBase
internal import Model

/// Domains that tenants claim and prove.
struct SQLTenantDomainStore: TenantDomainStore {
    let database: any SQLDatabase

    private static let columns = "tenant_id, domain, state, token, claimed_at, proven_at"

    func claim(_ domain: TenantDomain, by permission: borrowing Allowed<Acts.ChangeTenants>)
        async throws(StoreError) -> TenantDomain?
    {
        try permission.grounds.requireProject(of: domain.tenantID)
        return try await database.write(.serializable) { db in
            try SQLUserStore.requireTenant(domain.tenantID, db)
            if let present = try Self.find(domain.domain, of: domain.tenantID, db) { return present }
            let count: Int? = try db.first(
                "SELECT count(*) AS n FROM tenant_domain WHERE tenant_id = ?", [domain.tenantID])?["n"]
            guard count ?? 0 < Limits.domainsOfTenantMax else { return nil }
            try db.run(
                "INSERT INTO tenant_domain (\(Self.columns)) VALUES (?, ?, ?, ?, ?, NULL)",
                [
                    domain.tenantID, domain.domain.name, TenantDomain.State.pending.rawValue, domain.token,
                    domain.claimedAt.rawValue,
                ])
            return try Self.find(domain.domain, of: domain.tenantID, db)
        }
    }

    func settle(
        _ domain: EmailDomain, as state: TenantDomain.State, by permission: borrowing Allowed<Acts.ChangeTenants>,
        at now: UnixTime
    ) async throws(StoreError) -> String? {
        let tenant = try permission.grounds.requireTenant()
        return try await database.write(.serializable) { db in
            let loser = try db.first(
                """
                UPDATE tenant_domain SET state = 'lost'
                WHERE domain = ? AND tenant_id <> ? AND state IN ('proven', 'trusted') RETURNING tenant_id
                """, [domain.name, tenant])
            let changed = try db.run(
                "UPDATE tenant_domain SET state = ?, proven_at = ? WHERE domain = ? AND tenant_id = ?",
                [state.rawValue, now.rawValue, domain.name, tenant])
            guard changed == 1 else { throw StoreError(.missing) }
            return loser?["tenant_id"]
        }
    }

    func domains(of tenant: String?, limit: Int) async throws(StoreError) -> [TenantDomain] {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns) FROM tenant_domain WHERE ?1 IS NULL OR tenant_id = ?1
                ORDER BY domain, tenant_id LIMIT ?2
                """, [tenant, limit]
            ).map(Self.domain)
        }
    }

    func holder(of domain: EmailDomain) async throws(StoreError) -> String? {
        try await database.read { db in
            try db.first(
                "SELECT tenant_id FROM tenant_domain WHERE domain = ? AND state IN ('proven', 'trusted')",
                [domain.name])?["tenant_id"]
        }
    }

    func remove(_ domain: EmailDomain, by permission: borrowing Allowed<Acts.ChangeTenants>)
        async throws(StoreError) -> Bool
    {
        let tenant = try permission.grounds.requireTenant()
        return try await database.write(.serializable) { db in
            try db.run("DELETE FROM tenant_domain WHERE tenant_id = ? AND domain = ?", [tenant, domain.name])
                == 1
        }
    }

    private static func find(_ domain: EmailDomain, of tenant: String, _ db: SQLSession) throws -> TenantDomain? {
        try db.first(
            "SELECT \(columns) FROM tenant_domain WHERE tenant_id = ? AND domain = ?", [tenant, domain.name]
        ).map(Self.domain)
    }

    private static func domain(_ row: SQLRow) throws -> TenantDomain {
        guard let domain = EmailDomain(row["domain"]), let state = TenantDomain.State(rawValue: row["state"]) else {
            throw SQLProblem.damagedRow
        }
        return TenantDomain(
            tenantID: row["tenant_id"], domain: domain, state: state, token: row["token"],
            claimedAt: row.time("claimed_at"), provenAt: row.optionalTime("proven_at"))
    }
}
