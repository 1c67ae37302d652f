internal import KeyturnBase
internal import Model

/// Tenants out of which users were taken. The word of such a tenant's provider, and what its directory says, do not get
/// the account back (``FederatedIdentityStore/formerTenants(of:)``).
enum FormerMemberships {
    /// - Parameter brought: when an identity or a merge had brought the membership, which the directory may give again.
    static func note(
        _ user: UserID, of tenant: String, brought: UnixTime? = nil, _ db: SQLSession, at now: UnixTime
    ) throws {
        try db.run(
            """
            INSERT INTO former_membership (user_id, tenant_id, left_at, brought_at) VALUES (?, ?, ?, ?)
            ON CONFLICT (user_id, tenant_id) DO UPDATE SET
                left_at = excluded.left_at, back_at = NULL, brought_at = excluded.brought_at
            """, [user.rawValue, tenant, now.rawValue, brought?.rawValue])
    }

    static func tenants(of user: UserID, _ db: SQLSession) throws -> Set<String> {
        let rows = try db.all(
            "SELECT tenant_id FROM former_membership WHERE user_id = ? AND back_at IS NULL", [user.rawValue])
        return Set(rows.map { $0["tenant_id"] })
    }

    static func has(_ user: UserID, of tenant: String, _ db: SQLSession) throws -> Bool {
        try db.first(
            "SELECT 1 FROM former_membership WHERE user_id = ? AND tenant_id = ? AND back_at IS NULL",
            [user.rawValue, tenant]) != nil
    }

    /// A member is back: by an act of their own, or because nothing but the tenant holds the account. It is kept, for a
    /// dispute of that act.
    static func end(_ user: UserID, of tenant: String, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            """
            UPDATE former_membership SET back_at = ?3 WHERE user_id = ?1 AND tenant_id = ?2 AND back_at IS NULL
                AND EXISTS (SELECT 1 FROM membership WHERE user_id = ?1 AND tenant_id = ?2)
            """, [user.rawValue, tenant, now.rawValue])
    }

    /// Another caller than the tenant gave memberships.
    static func forget(_ user: UserID, ofGiven tenants: [String], _ db: SQLSession) throws {
        for tenant in tenants {
            try db.run(
                """
                DELETE FROM former_membership WHERE user_id = ?1 AND tenant_id = ?2
                    AND EXISTS (SELECT 1 FROM membership WHERE user_id = ?1 AND tenant_id = ?2)
                """, [user.rawValue, tenant])
        }
    }

    /// Who came back since a moment was another person.
    static func restore(_ user: UserID, since: UnixTime, _ db: SQLSession) throws {
        try db.run(
            "UPDATE former_membership SET back_at = NULL WHERE user_id = ? AND back_at >= ?",
            [user.rawValue, since.rawValue])
    }

    /// An account gets those of another one that goes into it. Its memberships have moved before.
    ///
    /// - Parameter now: when the user brought them; `nil`: they stay what they were. A membership that the account has was
    ///   not brought by what another one had left.
    static func move(from old: UserID, to new: UserID, _ db: SQLSession, at now: UnixTime?) throws {
        try db.run(
            """
            INSERT INTO former_membership (user_id, tenant_id, left_at, brought_at)
            SELECT ?1, f.tenant_id, f.left_at, CASE
                WHEN EXISTS (SELECT 1 FROM membership m WHERE m.user_id = ?1 AND m.tenant_id = f.tenant_id) THEN NULL
                ELSE coalesce(?3, f.brought_at) END
            FROM former_membership f WHERE f.user_id = ?2 AND f.back_at IS NULL
            ON CONFLICT (user_id, tenant_id) DO UPDATE SET back_at = NULL
            """, [new.rawValue, old.rawValue, now?.rawValue])
    }
}
