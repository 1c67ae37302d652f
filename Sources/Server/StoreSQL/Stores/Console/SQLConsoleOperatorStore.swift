internal import Authority
internal import KeyturnBase
internal import Model

/// Operators of the console, a row each.
struct SQLConsoleOperatorStore: ConsoleOperatorStore {
    let database: any SQLDatabase

    func role(of user: UserID) async throws(StoreError) -> ConsoleRole? {
        try await database.read { db in try Self.role(of: user, db) }
    }

    func all(limit: Int) async throws(StoreError) -> [ConsoleOperator] {
        try await database.read { db in
            try db.all(
                """
                SELECT user_id, role, since, granted_by FROM console_operator
                ORDER BY CASE role WHEN 'owner' THEN 0 ELSE 1 END, since, user_id LIMIT ?
                """, [limit]
            ).compactMap { row in
                guard let role = ConsoleRole(rawValue: row["role"]) else { return nil }
                return ConsoleOperator(
                    userID: UserID(rawValue: row["user_id"]), role: role, since: row.time("since"),
                    grantedBy: row["granted_by"])
            }
        }
    }

    func give(
        _ role: ConsoleRole, by allowed: consuming Allowed<Acts.GiveConsoleRole>, named actor: String,
        knownBy address: Identifier?, keepingOwner: Bool, at now: UnixTime
    ) async throws(StoreError) -> ConsoleRoleChange {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.serializable) { db in
            let account = try SQLUserStore.permitted(grounds, db)
            let before = account.consoleRole
            guard before != role else { return .unchanged }
            if keepingOwner, before == .owner, try !Self.keepsOwner(besides: user, db) { return .lastOwner }
            let isVoided = account.user.othersAt != nil
            if isVoided {
                guard let known = account.known(by: address) else {
                    throw StoreError(.forbidden, cause: UnknownAddress())
                }
                try Self.void(user, keeping: known, db, at: now)
            }
            try db.run(
                """
                INSERT INTO console_operator (user_id, role, since, granted_by) VALUES (?, ?, ?, ?)
                ON CONFLICT (user_id) DO UPDATE SET role = excluded.role, since = excluded.since,
                    granted_by = excluded.granted_by
                """, [user.rawValue, role.rawValue, now.rawValue, actor])
            return .changed(from: before, isVoided: isVoided)
        }
    }

    func take(by allowed: consuming Allowed<Acts.TakeConsoleRole>, keepingOwner: Bool) async throws(StoreError)
        -> ConsoleRoleChange
    {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.serializable) { db in
            guard let before = try SQLUserStore.permitted(grounds, db).consoleRole else { return .unchanged }
            if keepingOwner, before == .owner, try !Self.keepsOwner(besides: user, db) { return .lastOwner }
            try db.run("DELETE FROM console_operator WHERE user_id = ?", [user.rawValue])
            return .changed(from: before)
        }
    }

    /// What others have set up goes. One address stays.
    private static func void(_ user: UserID, keeping address: Identifier, _ db: SQLSession, at now: UnixTime) throws {
        try SQLPasswordStore.void(user, db, at: now)
        // As it is now: the roles that its identities gave are gone.
        guard var account = try SQLUserStore.find(user, db) else { throw StoreError(.missing) }
        account.keepOnly(address)
        try SQLUserStore.replace(account, db, at: now)
        try SQLUserStore.forgetOthers(user, db)
    }

    /// Refuses that an owner ends, or may no longer sign in, unless another one can enter the console.
    ///
    /// - Throws: ``StoreError``, `forbidden`, with ``LastOwner``.
    static func requireAnotherOwner(than account: Account, _ db: SQLSession) throws {
        guard account.consoleRole == .owner, try !keepsOwner(besides: account.user.id, db) else { return }
        throw StoreError(.forbidden, cause: LastOwner())
    }

    /// Whether an owner remains who can enter. One transaction after the other: of two owners who lock each other out, one
    /// stays.
    private static func keepsOwner(besides user: UserID, _ db: SQLSession) throws -> Bool {
        try db.hold([.name("owners")])
        return try db.first(
            """
            SELECT 1 FROM console_operator o, "user" u
            WHERE o.role = 'owner' AND o.user_id <> ? AND u.id = o.user_id AND u.status = 'active' LIMIT 1
            """, [user.rawValue]) != nil
    }

    private static func role(of user: UserID, _ db: SQLSession) throws -> ConsoleRole? {
        try db.first("SELECT role FROM console_operator WHERE user_id = ?", [user.rawValue]).flatMap {
            ConsoleRole(rawValue: $0["role"])
        }
    }
}
