internal import KeyturnBase
internal import Model

/// Who gives a role beside an operator: providers, as their identities record it, and groups of a tenant's directory.
enum RoleSources {
    /// The roles that other identities of the user, and the user's groups in the tenant, give.
    ///
    /// - Parameters:
    ///   - tenant: where; `nil`: everywhere.
    ///   - key: the identity that does not count.
    static func all(of user: UserID, in tenant: String?, besides key: FederatedIdentity.Key, _ db: SQLSession) throws
        -> Set<String>
    {
        try ofProviders(of: user, in: tenant, besides: key, db).union(ofGroups(of: user, in: tenant, db))
    }

    /// The roles that identities of the user give.
    ///
    /// - Parameter key: one that does not count; `nil`: all count.
    static func ofProviders(
        of user: UserID, in tenant: String?, besides key: FederatedIdentity.Key?, _ db: SQLSession
    ) throws -> Set<String> {
        let rows = try db.all(
            """
            SELECT connection_id, issuer, subject, roles FROM federated_identity
            WHERE user_id = ? AND roles IS NOT NULL AND roles_tenant IS NOT DISTINCT FROM ? ORDER BY linked_at LIMIT ?
            """, [user.rawValue, tenant, Limits.identitiesOfUserMax])
        var roles: Set<String> = []
        for row in rows where key == nil || Self.key(row) != key { roles.formUnion(try row.list("roles")) }
        return roles
    }

    private static func ofGroups(of user: UserID, in tenant: String?, _ db: SQLSession) throws -> Set<String> {
        guard let tenant else { return [] }
        return Set(
            try db.all(
                """
                SELECT DISTINCT g.role_id FROM scim_resource u, scim_member m, scim_resource g
                WHERE u.user_id = ? AND u.tenant_id = ? AND m.user_number = u.number AND g.number = m.group_number
                    AND g.role_id IS NOT NULL
                """, [user.rawValue, tenant]
            ).map { $0["role_id"] })
    }

    /// An account as it goes into another one. A tenant's directory may have both: its resource of this one does not go
    /// along, nor do the roles that only groups of that resource give.
    static func carried(_ account: Account, into kept: UserID, _ db: SQLSession) throws -> Account {
        var account = account
        let user = account.user.id
        let rows = try db.all(
            """
            SELECT tenant_id FROM scim_resource
            WHERE user_id = ? AND tenant_id IN (SELECT tenant_id FROM scim_resource WHERE user_id = ?)
            """, [user.rawValue, kept.rawValue])
        for row in rows {
            let tenant: String = row["tenant_id"]
            let gone = try ofGroups(of: user, in: tenant, db)
                .subtracting(ofProviders(of: user, in: tenant, besides: nil, db))
            account.memberships.tenants[tenant]?.removeAll { gone.contains($0) }
        }
        return account
    }

    private static func key(_ row: SQLRow) -> FederatedIdentity.Key {
        FederatedIdentity.Key(connectionID: row["connection_id"], issuer: row["issuer"], subject: row["subject"])
    }

    /// The roles that only this identity gave end with it.
    static func withdraw(_ identity: FederatedIdentity, _ db: SQLSession) throws {
        guard let given = identity.providedRoles, !given.isEmpty else { return }
        let (user, tenant) = (identity.userID, identity.providedIn)
        let gone = Set(given).subtracting(try all(of: user, in: tenant, besides: identity.key, db))
        guard !gone.isEmpty, let held = try held(user, in: tenant, db) else { return }
        let kept = held.filter { !gone.contains($0) }.columnText
        if let tenant {
            try db.run(
                "UPDATE membership SET roles = ? WHERE user_id = ? AND tenant_id = ?", [kept, user.rawValue, tenant])
        } else {
            try db.run("UPDATE \"user\" SET roles = ? WHERE id = ?", [kept, user.rawValue])
        }
    }

    /// - Returns: `nil`: the user is not there.
    private static func held(_ user: UserID, in tenant: String?, _ db: SQLSession) throws -> [String]? {
        let row =
            if let tenant {
                try db.first(
                    "SELECT roles FROM membership WHERE user_id = ? AND tenant_id = ?", [user.rawValue, tenant])
            } else {
                try db.first("SELECT roles FROM \"user\" WHERE id = ?", [user.rawValue])
            }
        return try row?.list("roles")
    }
}
