internal import KeyturnBase
internal import Model

/// Tenants out of which users were taken. The word of such a tenant's provider, and what its directory says, do not get
/// the account back (``FederatedIdentityStore/isFormer(_:of:)``).
enum FormerMemberships {
    static func note(_ user: UserID, of tenant: String, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            """
            INSERT INTO former_membership (user_id, tenant_id, left_at) VALUES (?, ?, ?)
            ON CONFLICT (user_id, tenant_id) DO UPDATE SET left_at = excluded.left_at
            """, [user.rawValue, tenant, now.rawValue])
    }

    static func has(_ user: UserID, of tenant: String, _ db: SQLSession) throws -> Bool {
        try db.first(
            "SELECT 1 FROM former_membership WHERE user_id = ? AND tenant_id = ?", [user.rawValue, tenant]) != nil
    }

    /// The user is back: by an act of their own, or because nothing but the tenant holds the account.
    static func forget(_ user: UserID, of tenant: String, _ db: SQLSession) throws {
        try db.run("DELETE FROM former_membership WHERE user_id = ? AND tenant_id = ?", [user.rawValue, tenant])
    }

    /// A caller other than the tenant gave memberships.
    static func forget(_ user: UserID, ofGiven tenants: [String], _ db: SQLSession) throws {
        for tenant in tenants {
            try db.run(
                """
                DELETE FROM former_membership WHERE user_id = ?1 AND tenant_id = ?2
                    AND EXISTS (SELECT 1 FROM membership WHERE user_id = ?1 AND tenant_id = ?2)
                """, [user.rawValue, tenant])
        }
    }

    /// An account gets those of another one that goes into it.
    static func move(from old: UserID, to new: UserID, _ db: SQLSession) throws {
        try db.run(
            """
            INSERT INTO former_membership (user_id, tenant_id, left_at)
            SELECT ?1, tenant_id, left_at FROM former_membership WHERE user_id = ?2
            ON CONFLICT (user_id, tenant_id) DO NOTHING
            """, [new.rawValue, old.rawValue])
    }
}
