internal import KeyturnBase
internal import Model

/// Which tenants users are members of.
extension SQLUserStore {
    /// What is recorded of a membership that stays is kept.
    static func write(
        _ memberships: Memberships, of id: UserID, before: Memberships, _ db: SQLSession, at now: UnixTime
    ) throws -> Bool {
        let kept = memberships.tenants.keys.sorted()
        let marks = kept.map { _ in "?" }.joined(separator: ", ")
        let others =
            kept.isEmpty
            ? ""
            : """
             AND (tenant_id NOT IN (\(marks)) OR EXISTS (
                SELECT 1 FROM scim_resource r
                WHERE r.user_id = membership.user_id AND r.tenant_id = membership.tenant_id AND r.active = 0))
            """
        let gone = try db.all(
            "DELETE FROM membership WHERE user_id = ?\(others) RETURNING tenant_id", [id.rawValue] + kept as Values)
        for row in gone {
            try FormerMemberships.note(id, of: row["tenant_id"], db, at: now)
            try Revocation.endVouched(by: row["tenant_id"], of: id, keepsSelected: true, db, at: now)
        }
        let isComplete = try insert(memberships, of: id, db)
        try FormerMemberships.forget(id, ofGiven: kept.filter { before.tenants[$0] == nil }, db)
        return isComplete
    }

    /// Reports an unknown tenant by an error of its own, which cannot be confused with a name that is taken.
    ///
    /// - Returns: `false` if a tenant's directory has deactivated the user there: no caller writes this
    ///   membership.
    @discardableResult
    static func insert(_ memberships: Memberships, of id: UserID, _ db: SQLSession) throws -> Bool {
        var isComplete = true
        for (tenant, roles) in memberships.tenants {
            try requireTenant(tenant, db)
            let inserted = try db.run(
                """
                INSERT INTO membership (user_id, tenant_id, roles) SELECT ?1, ?2, ?3 WHERE NOT EXISTS (
                    SELECT 1 FROM scim_resource WHERE user_id = ?1 AND tenant_id = ?2 AND active = 0)
                ON CONFLICT (user_id, tenant_id) DO UPDATE SET roles = excluded.roles
                """,
                [id.rawValue, tenant, roles.columnText])
            if inserted == 0 { isComplete = false }
        }
        return isComplete
    }

    static func requireTenant(_ id: String, _ db: SQLSession) throws {
        guard try db.first("SELECT 1 FROM tenant WHERE id = ?", [id]) != nil else { throw StoreError(.missing) }
    }
}
