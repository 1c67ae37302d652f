internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// Users' identities at providers.
struct SQLFederatedIdentityStore: FederatedIdentityStore {
    let database: any SQLDatabase

    private static let columns = """
        connection_id, issuer, subject, user_id, email, name, linked_at, used_at, by_owner, roles, roles_tenant,
        signed_out_at
        """
    private static let isKey = "connection_id = ? AND issuer = ? AND subject = ?"

    private static func values(_ key: FederatedIdentity.Key) -> Values {
        [key.connectionID, key.issuer, key.subject]
    }

    func identity(_ key: FederatedIdentity.Key) async throws(StoreError) -> FederatedIdentity? {
        try await database.read { db in try Self.find(key, db) }
    }

    static func find(_ key: FederatedIdentity.Key, _ db: SQLSession) throws -> FederatedIdentity? {
        try db.first("SELECT \(columns) FROM federated_identity WHERE \(isKey)", values(key)).map(read)
    }

    private static func read(_ row: SQLRow) throws -> FederatedIdentity {
        var identity = FederatedIdentity(
            key: FederatedIdentity.Key(
                connectionID: row["connection_id"], issuer: row["issuer"], subject: row["subject"]),
            userID: UserID(rawValue: row["user_id"]), email: row["email"], name: row["name"],
            linkedAt: row.time("linked_at"), usedAt: row.time("used_at"), isByOwner: row["by_owner"])
        identity.providedRoles = (row["roles"] as String?) == nil ? nil : try row.list("roles")
        identity.providedIn = row["roles_tenant"]
        identity.signedOutAt = row.optionalTime("signed_out_at")
        return identity
    }

    func identities(of user: UserID) async throws(StoreError) -> [FederatedIdentity] {
        try await database.read { db in try Self.all(of: user, db) }
    }

    static func all(of user: UserID, _ db: SQLSession) throws -> [FederatedIdentity] {
        try db.all(
            """
            SELECT \(columns) FROM federated_identity WHERE user_id = ?
            ORDER BY linked_at, connection_id, issuer, subject LIMIT ?
            """, [user.rawValue, Limits.identitiesOfUserMax]
        ).map(read)
    }

    /// The identities at a connection that give roles, those after `last`, at most `limit`.
    static func givingRoles(
        at connection: String, after last: FederatedIdentity.Key?, limit: Int, _ db: SQLSession
    ) throws -> [FederatedIdentity] {
        try db.all(
            """
            SELECT \(columns) FROM federated_identity
            WHERE connection_id = ? AND (issuer, subject) > (?, ?) AND roles IS NOT NULL AND roles <> '[]'
            ORDER BY issuer, subject LIMIT ?
            """, [connection, last?.issuer ?? "", last?.subject ?? "", limit]
        ).map(read)
    }

    /// The identity stays, and gives no other role than these from now on.
    static func withdrawRoles(of identity: FederatedIdentity, besides kept: Set<String>, _ db: SQLSession) throws {
        let given = identity.providedRoles ?? []
        var gone = identity
        gone.providedRoles = given.filter { !kept.contains($0) }
        try RoleSources.withdraw(gone, db)
        try db.run(
            "UPDATE federated_identity SET roles = ? WHERE \(isKey)",
            [given.filter(kept.contains).columnText] + values(identity.key))
    }

    func inUse(at connection: String, after subject: String?, limit: Int, at now: UnixTime)
        async throws(StoreError) -> [FederatedIdentity]
    {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns) FROM federated_identity i
                WHERE connection_id = ?1 AND subject > ?2 AND (
                    EXISTS (SELECT 1 FROM session s WHERE s.user_id = i.user_id AND s.expires_at > ?3)
                    OR EXISTS (
                        SELECT 1 FROM grant_ g WHERE g.user_id = i.user_id AND g.ended_at IS NULL
                            AND g.idle_expires_at > ?3 AND g.absolute_expires_at > ?3))
                ORDER BY subject, issuer LIMIT ?4
                """, [connection, subject ?? "", now.rawValue, limit]
            ).map(Self.read)
        }
    }

    func wasUnlinked(_ key: FederatedIdentity.Key) async throws(StoreError) -> Bool {
        try await database.read { db in
            try db.first("SELECT 1 FROM unlinked_identity WHERE \(Self.isKey) AND by_connection = 0", Self.values(key))
                != nil
        }
    }

    func hasIdentity(_ user: UserID, at connection: String, besides key: FederatedIdentity.Key?)
        async throws(StoreError) -> Bool
    {
        try await database.read { db in
            try db.first(
                """
                SELECT 1 FROM federated_identity WHERE user_id = ?1 AND connection_id = ?2
                UNION ALL SELECT 1 FROM unlinked_identity WHERE user_id = ?1 AND connection_id = ?2
                    AND NOT (by_connection = 1 AND issuer = ?3 AND subject = ?4)
                """, [user.rawValue, connection, key?.issuer ?? "", key?.subject ?? ""]) != nil
        }
    }

    func formerTenants(of user: UserID) async throws(StoreError) -> Set<String> {
        try await database.read { db in try FormerMemberships.tenants(of: user, db) }
    }

    func link(_ identity: FederatedIdentity, by allowed: consuming Allowed<Acts.LinkIdentity>)
        async throws(StoreError) -> IdentityLinking
    {
        let grounds = allowed.grounds
        guard identity.userID == grounds.user else { throw StoreError(.forbidden) }
        return try await database.write(.changing(identity.userID)) { db in
            guard let account = try SQLUserStore.find(identity.userID, db), account.user.epoch == grounds.epoch else {
                return .overtaken
            }
            guard grounds.hold(for: account.standing) else { throw StoreError(.forbidden) }
            if let present = try Self.find(identity.key, db) {
                return present.userID == identity.userID ? .present : .taken
            }
            let row = try db.first(
                "SELECT count(*) AS n FROM federated_identity WHERE user_id = ?", [identity.userID.rawValue])
            let count: Int = row?["n"] ?? 0
            guard count < Limits.identitiesOfUserMax else { return .tooMany }
            guard try Self.insert(identity, db) else { return .taken }
            try SQLOneTimeCodeStore.removeChanges(of: identity.userID, db)
            try SQLLinkStore.removeChanges(of: identity.userID, db)
            return .linked
        }
    }

    /// - Returns: `false` if the key is taken.
    private static func insert(_ identity: FederatedIdentity, _ db: SQLSession) throws -> Bool {
        let inserted = try db.run(
            """
            INSERT INTO federated_identity (\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """,
            [
                identity.key.connectionID, identity.key.issuer, identity.key.subject, identity.userID.rawValue,
                identity.email, identity.name, identity.linkedAt.rawValue, identity.usedAt.rawValue,
                identity.isByOwner, identity.providedRoles?.columnText, identity.providedIn,
                identity.signedOutAt?.rawValue,
            ])
        guard inserted == 1 else { return false }
        // To link again what a provider's word had linked makes no link of the owner's.
        try db.run(
            """
            UPDATE federated_identity SET by_owner = 0 WHERE \(isKey) AND EXISTS (
                SELECT 1 FROM unlinked_identity WHERE \(isKey) AND user_id = ? AND by_owner = 0)
            """, values(identity.key) + values(identity.key) + [identity.userID.rawValue])
        // What other users' accounts remember of it stays.
        try db.run(
            "DELETE FROM unlinked_identity WHERE \(isKey) AND user_id = ?",
            values(identity.key) + [identity.userID.rawValue])
        return true
    }

    func create(
        _ account: Account, with identity: FederatedIdentity, by allowed: consuming Allowed<Acts.CreateAccount>
    ) async throws(StoreError) -> Bool {
        try allowed.grounds.requireNewUser()
        do throws(StoreError) {
            try await database.write(.guarded) { db in
                try SQLUserStore.add(account, db)
                guard identity.userID == account.user.id, try Self.insert(identity, db) else {
                    throw StoreError(.conflict)
                }
                if let tenant = identity.providedIn {
                    try BroughtMemberships.note(identity.userID, in: tenant, db, at: identity.linkedAt)
                }
            }
            return true
        } catch {
            guard error.code == .conflict else { throw error }
            return false
        }
    }

    func use(
        _ use: IdentityUse, by allowed: consuming Allowed<Acts.ChangeAccount>, at now: UnixTime,
        _ rule: @escaping IdentityRule
    ) async throws(StoreError) -> Account {
        let grounds = allowed.grounds
        return try await database.write(.changing(grounds.user)) { db in
            guard let identity = try Self.find(use.key, db), identity.userID == grounds.user else {
                throw StoreError(.missing)
            }
            let before = try SQLUserStore.permitted(grounds, db)
            guard !identity.hasEnded(for: before, in: use.tenantID) else { throw StoreError(.missing) }
            let former = try use.tenantID.flatMap { tenant in
                try FormerMemberships.has(grounds.user, of: tenant, db) ? tenant : nil
            }
            guard former == nil || use.endsAbsence else { throw StoreError(.missing) }
            var account = before
            let given = rule(&account, try Self.facts(identity, use, db))
            try grounds.requireCover(of: before, account)
            var isComplete = true
            if account != before {
                isComplete = try SQLUserStore.replace(account, signingInBy: use.key, db, at: now)
                if let tenant = use.tenantID, before.memberships.tenants[tenant] == nil {
                    try BroughtMemberships.note(grounds.user, in: tenant, db, at: now)
                }
                try SQLSCIMUserStore.noteProvided(use, account, before: before, db)
                if account.isNamedAnew(since: before) { try SQLUserStore.noteOthers(grounds.user, db, at: now) }
            }
            if let former { try FormerMemberships.end(grounds.user, of: former, db, at: now) }
            try db.run(
                """
                UPDATE federated_identity SET email = ?, name = ?, used_at = ?, roles = ?, roles_tenant = ?,
                    signed_out_at = CASE WHEN signed_out_at >= ? THEN ? ELSE signed_out_at END
                WHERE \(Self.isKey)
                """,
                [
                    use.email, use.name, now.rawValue, given.columnText, use.tenantID, now.rawValue, (now - 1).rawValue,
                ] + Self.values(use.key))
            // Provisioning may keep the user out of a tenant: the account is not what the rule made of it.
            guard isComplete else { return try SQLUserStore.find(identity.userID, db) ?? account }
            if account != before { account.user.updatedAt = now }
            if !account.identifiers.isEmpty { account.user.anonymousAt = nil }
            return account
        }
    }

    private static func facts(_ identity: FederatedIdentity, _ use: IdentityUse, _ db: SQLSession) throws
        -> IdentityUseFacts
    {
        let user = identity.userID
        let resource = try use.tenantID.flatMap { tenant in
            try db.first(
                "SELECT 1 FROM scim_resource WHERE user_id = ? AND tenant_id = ?", [user.rawValue, tenant])
        }
        return IdentityUseFacts(
            identity: identity,
            rolesElsewhere: try RoleSources.all(of: user, in: use.tenantID, besides: use.key, db),
            isAddressFree: try use.address.map { try isFree($0, for: user, db) } ?? true,
            isProvisioned: resource != nil)
    }

    /// Whether no other user has the address: as a login ID, verified or not, or as a contact that was proved.
    private static func isFree(_ address: Identifier, for user: UserID, _ db: SQLSession) throws -> Bool {
        let other = try db.first(
            "SELECT 1 FROM identifier WHERE kind = ? AND value = ? AND user_id <> ?",
            [address.kind.rawValue, address.value, user.rawValue])
        return try other == nil && !SQLUserStore.isContact(address, besides: user, db)
    }
}
