internal import KeyturnBase
internal import Model

/// The membership of provisioned users in their tenant, with the roles of their groups.
enum SCIMMembership {
    /// The user joins the tenant: its default roles and those of the user's groups.
    static func join(_ user: UserID, _ number: Int64, in tenant: String, _ db: SQLSession) throws {
        try SQLUserStore.requireTenant(tenant, db)
        guard try roles(of: user, in: tenant, db) == nil else { return }
        let count: Int? = try db.first("SELECT count(*) AS n FROM membership WHERE user_id = ?", [user.rawValue])?["n"]
        guard count ?? 0 < Limits.tenantsOfUserMax else { throw StoreError(.conflict) }
        let rows = try db.all(
            """
            SELECT id FROM role WHERE is_default = 1 AND (tenant_id IS NULL OR tenant_id = ?1)
            UNION SELECT g.role_id AS id FROM scim_member m, scim_resource g
                WHERE m.user_number = ?2 AND g.number = m.group_number AND g.role_id IS NOT NULL
            ORDER BY id LIMIT ?3
            """, [tenant, number, Limits.rolesOfUserMax])
        let roles = rows.map { $0["id"] as String }
        // What an identity, a merge or an address brought stays so while the directory takes and gives it.
        try db.run(
            """
            INSERT INTO membership (user_id, tenant_id, roles, brought_at) VALUES (?1, ?2, ?3, coalesce(
                (SELECT brought_at FROM former_membership WHERE user_id = ?1 AND tenant_id = ?2),
                (SELECT brought_at FROM scim_resource WHERE number = ?4)))
            """, [user.rawValue, tenant, roles.columnText, number])
    }

    /// Gives a user who is in the tenant the roles of the groups.
    static func giveRoles(to user: UserID, _ number: Int64, in tenant: String, _ db: SQLSession) throws {
        for role in try rolesOfGroups(with: number, db) { try give(role, to: user, in: tenant, db) }
    }

    /// The roles that the groups of a provisioned user give.
    static func rolesOfGroups(with number: Int64, _ db: SQLSession) throws -> [String] {
        try db.all(
            """
            SELECT DISTINCT g.role_id AS id FROM scim_member m, scim_resource g
            WHERE m.user_number = ? AND g.number = m.group_number AND g.role_id IS NOT NULL ORDER BY id LIMIT ?
            """, [number, Limits.rolesOfUserMax]
        ).map { $0["id"] }
    }

    /// The user leaves the tenant, and everything that is open there ends.
    ///
    /// - Parameter isSole: whether the directory reaches the account (``SQLSCIMUserStore/reaches(_:_:)``). Then
    ///   everything ends; other sessions are not the directory's to end, and lose the tenant with the membership.
    static func leave(_ user: UserID, _ tenant: String, isSole: Bool, _ db: SQLSession, at now: UnixTime) throws {
        let left = try db.first(
            "DELETE FROM membership WHERE user_id = ? AND tenant_id = ? RETURNING brought_at", [user.rawValue, tenant])
        if let left {
            try FormerMemberships.note(user, of: tenant, brought: left.optionalTime("brought_at"), db, at: now)
        }
        if isSole {
            try Revocation.end(RevocationScope(.userDisabled, at: now), of: user, db)
        } else {
            try Revocation.endVouched(by: tenant, of: user, db, at: now)
        }
    }

    /// Gives a role to a user who is in the tenant.
    static func give(_ role: String, to user: UserID, in tenant: String, _ db: SQLSession) throws {
        guard let roles = try roles(of: user, in: tenant, db), !roles.contains(role),
            roles.count < Limits.rolesOfUserMax
        else { return }
        try write(roles + [role], of: user, in: tenant, db)
    }

    /// Takes a role from a user, unless another group or a provider gives it.
    static func take(_ role: String, from user: UserID, _ number: Int64, in tenant: String, _ db: SQLSession) throws {
        let other = try db.first(
            """
            SELECT 1 FROM scim_member m, scim_resource g
            WHERE m.user_number = ? AND g.number = m.group_number AND g.role_id = ?
            """, [number, role])
        guard other == nil, try !RoleSources.ofProviders(of: user, in: tenant, besides: nil, db).contains(role),
            let roles = try roles(of: user, in: tenant, db), roles.contains(role)
        else { return }
        try write(roles.filter { $0 != role }, of: user, in: tenant, db)
    }

    static func has(_ user: UserID, in tenant: String, _ db: SQLSession) throws -> Bool {
        try roles(of: user, in: tenant, db) != nil
    }

    /// `nil`: the user is not in the tenant.
    private static func roles(of user: UserID, in tenant: String, _ db: SQLSession) throws -> [String]? {
        try db.first("SELECT roles FROM membership WHERE user_id = ? AND tenant_id = ?", [user.rawValue, tenant])?
            .list("roles")
    }

    private static func write(_ roles: [String], of user: UserID, in tenant: String, _ db: SQLSession) throws {
        try db.run(
            "UPDATE membership SET roles = ? WHERE user_id = ? AND tenant_id = ?",
            [roles.columnText, user.rawValue, tenant])
    }

    /// Whether provisioning made the account, no other tenant has the user, and the user has neither a role in the
    /// console nor one that acts as others: what a tenant's directory says must not reach further. A former member of
    /// the tenant is not told apart here.
    static func isSoleHolder(_ record: SCIMRecord, _ user: UserID, _ db: SQLSession) throws -> Bool {
        try db.first(soleHolder, [record.number, user.rawValue, record.tenantID]) != nil
    }

    private static let soleHolder = SQLText { sql in
        """
        SELECT 1 FROM scim_resource s, "user" u WHERE s.number = ?1 AND s.made_user = 1 AND u.id = ?2
            AND NOT EXISTS (SELECT 1 FROM membership WHERE user_id = ?2 AND tenant_id <> ?3)
            AND NOT EXISTS (SELECT 1 FROM scim_resource WHERE user_id = ?2 AND number <> ?1)
            AND NOT EXISTS (SELECT 1 FROM console_operator WHERE user_id = ?2)
            AND NOT \(ActingRoles.held(by: "u.id", roles: "u.roles", sql))
        """
    }
}
