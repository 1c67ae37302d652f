internal import Foundation
internal import KeyturnBase
internal import Model

/// Memberships that an identity at a provider, or an account that was merged in, brought, and what a directory took in by an
/// address that the user added. They end with what brought them.
enum BroughtMemberships {
    /// Notes that an identity brought a membership.
    static func note(_ user: UserID, in tenant: String, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            "UPDATE membership SET brought_at = ? WHERE user_id = ? AND tenant_id = ?",
            [now.rawValue, user.rawValue, tenant])
    }

    /// Notes that a directory names an account by an address, and since when this one is the user's; nothing if the account
    /// began with it, or was found by an identity.
    static func note(_ resource: Int64, naming user: UserID, by profile: SCIMProfile, _ db: SQLSession) throws {
        guard profile.isEmailProven, let email = profile.email.flatMap(Identifier.init(loginID:)) else { return }
        try db.run(
            """
            UPDATE scim_resource SET brought_at = (
                SELECT max(proved_at) FROM new_address
                WHERE user_id = ?1 AND kind = ?2 AND value IN (?3, ?4) AND was_listed = 0)
            WHERE number = ?5
            """,
            [user.rawValue, email.kind.rawValue, email.value, email.formerSpelling ?? email.value, resource])
    }

    /// An account gets the memberships of another one that goes into it.
    ///
    /// - Parameter now: when the user brought them; `nil`: they stay what they were.
    static func move(from old: UserID, to new: UserID, _ db: SQLSession, at now: UnixTime?) throws {
        try db.run(
            """
            UPDATE membership SET user_id = ?1, brought_at = coalesce(?3, brought_at)
            WHERE user_id = ?2 AND tenant_id NOT IN (SELECT own.tenant_id FROM membership own WHERE own.user_id = ?1)
            """, [new.rawValue, old.rawValue, now?.rawValue])
        try FormerMemberships.move(from: old, to: new, db, at: now)
    }

    /// Ends those that were brought since a moment, also if a directory has taken them meanwhile, with the directories'
    /// resources that came to the account by them.
    ///
    /// - Parameters:
    ///   - since: `nil`: all.
    ///   - kept: the tenant of an identity that stays; `nil`: none.
    static func end(
        of user: UserID, since: UnixTime? = nil, besides kept: String? = nil, _ db: SQLSession, at now: UnixTime
    ) throws {
        let rows = try db.all(
            """
            SELECT tenant_id FROM membership WHERE user_id = ?1 AND brought_at >= ?2
            UNION SELECT tenant_id FROM former_membership WHERE user_id = ?1 AND brought_at >= ?2
            """, [user.rawValue, since?.rawValue ?? 0])
        for row in rows {
            let tenant: String = row["tenant_id"]
            guard tenant != kept else { continue }
            try db.run(
                "DELETE FROM scim_resource WHERE user_id = ? AND tenant_id = ? AND made_user = 0",
                [user.rawValue, tenant])
            try end(of: user, in: tenant, db, at: now)
        }
        try endResources(of: user, since: since, besides: kept, db)
    }

    /// What a directory took in, where another caller had given the membership: this one stays, without the roles of the
    /// directory's groups.
    private static func endResources(
        of user: UserID, since: UnixTime?, besides kept: String?, _ db: SQLSession
    ) throws {
        let rows = try db.all(
            """
            SELECT number, tenant_id FROM scim_resource
            WHERE user_id = ? AND made_user = 0 AND brought_at >= ? AND tenant_id <> ?
            """, [user.rawValue, since?.rawValue ?? 0, kept ?? ""])
        for row in rows {
            let number: Int64 = row["number"]
            let roles = try SCIMMembership.rolesOfGroups(with: number, db)
            try db.run("DELETE FROM scim_resource WHERE number = ?", [number])
            for role in roles { try SCIMMembership.take(role, from: user, number, in: row["tenant_id"], db) }
        }
    }

    /// The user disconnects an identity that they had connected: the membership that it brought ends with the last one of
    /// this tenant, unless the tenant's directory has the user.
    static func end(with identity: FederatedIdentity, _ db: SQLSession, at now: UnixTime) throws {
        guard identity.isByOwner, let tenant = identity.providedIn else { return }
        let values: Values = [identity.userID.rawValue, tenant]
        let others = try db.first(
            """
            SELECT 1 FROM federated_identity WHERE user_id = ?1 AND roles_tenant = ?2
            UNION ALL SELECT 1 FROM scim_resource WHERE user_id = ?1 AND tenant_id = ?2
            UNION ALL SELECT 1 FROM membership WHERE user_id = ?1 AND tenant_id = ?2 AND brought_at IS NULL
            """, values)
        if others == nil { try end(of: identity.userID, in: tenant, db, at: now) }
    }

    private static func end(of user: UserID, in tenant: String, _ db: SQLSession, at now: UnixTime) throws {
        try db.run("DELETE FROM membership WHERE user_id = ? AND tenant_id = ?", [user.rawValue, tenant])
        try FormerMemberships.note(user, of: tenant, db, at: now)
        try Revocation.endVouched(by: tenant, of: user, db, at: now)
    }
}
