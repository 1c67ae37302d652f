internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// The state of passwords beside the hash.
struct SQLPasswordStore: PasswordStore {
    let database: any SQLDatabase

    private static let stateOfUser = SQLText { sql in
        """
        SELECT s.set_at, s.must_replace, s.reset_at, (
            SELECT \(sql.jsonList("h.hash")) FROM (
                SELECT hash FROM password_history WHERE user_id = ?1 ORDER BY number DESC) AS h
        ) AS history
        FROM (SELECT 1 AS one) AS o LEFT JOIN password_state s ON s.user_id = ?1
        """
    }

    func state(of user: UserID) async throws(StoreError) -> PasswordState {
        try await database.read { db in
            let row = try db.first(Self.stateOfUser, [user.rawValue])
            guard let row, let history = try? JSONValue(parsing: (row["history"] as String).utf8).stringArrayValue
            else { throw SQLProblem.damagedRow }
            return PasswordState(
                setAt: row.optionalTime("set_at"), mustReplace: row["must_replace"] as Bool? ?? false, history: history,
                resetAt: row.optionalTime("reset_at"))
        }
    }

    func set(_ change: PasswordChange, by allowed: consuming Allowed<Acts.SetPassword>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        let grounds = allowed.grounds
        let user = grounds.user
        let isReset =
            change.origin == .address || change.origin == .strong && allowed.caller.kind != .session
        return try await database.write(.changing(user)) { db in
            let id = user.rawValue
            let old = try SQLUserStore.permitted(grounds, db).passwordHash
            if let expected = change.replacing, old != expected { return false }
            if let old {
                try Self.addToHistory(old, of: user, db)
                try db.run(
                    """
                    DELETE FROM password_history WHERE user_id = ?1 AND number NOT IN (
                        SELECT number FROM password_history WHERE user_id = ?1 ORDER BY number DESC LIMIT ?2)
                    """,
                    [id, change.historyMax])
            }
            if old != nil, isReset { try Self.withdrawConsents(of: user, db) }
            try db.run(
                """
                INSERT INTO password (user_id, hash) VALUES (?, ?)
                ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash
                """,
                [id, change.hash])
            try Self.note(user, mustReplace: change.mustReplace, db, at: now)
            try Self.note(change.origin, of: user, db, at: now)
            if grounds.isOfOthers {
                try SQLUserStore.noteOthers(user, areOperators: grounds.isOfOperator, db, at: now)
            }
            try Revocation.end(RevocationScope(change, at: now), of: user, db)
            return true
        }
    }

    func expire(by allowed: consuming Allowed<Acts.ExpirePassword>, at now: UnixTime) async throws(StoreError) -> Bool {
        let grounds = allowed.grounds
        let user = grounds.user
        return try await database.write(.changing(user)) { db in
            guard try SQLUserStore.permitted(grounds, db).passwordHash != nil else { return false }
            try Self.note(user, mustReplace: true, db, at: now)
            return true
        }
    }

    func foreignHash(from start: String) async throws(StoreError) -> String? {
        try await database.read { db in
            // The first condition is that of the index, word for word.
            try db.first(
                """
                SELECT hash FROM password WHERE substr(hash, 1, 31) <> '$argon2id$v=19$m=19456,t=2,p=1$'
                    AND hash >= ? ORDER BY hash LIMIT 1
                """, [start])?["hash"]
        }
    }

    func void(
        by allowed: consuming Allowed<Acts.VoidCredentials>, keeping reference: SecretDigest?, at now: UnixTime
    ) async throws(StoreError) {
        let grounds = allowed.grounds
        let user = grounds.user
        try await database.write(.changing(user)) { db in
            _ = try SQLUserStore.permitted(grounds, db)
            try Self.void(user, keeping: reference, db, at: now)
        }
    }

    /// What a stranger may have set up goes, as a part of another transaction.
    static func void(_ user: UserID, keeping reference: SecretDigest? = nil, _ db: SQLSession, at now: UnixTime) throws
    {
        for identity in try SQLFederatedIdentityStore.all(of: user, db) { try RoleSources.withdraw(identity, db) }
        try BroughtMemberships.end(of: user, db, at: now)
        for table in [
            "password", "password_state", "password_history", "authenticator", "recovery_code", "passkey",
            "federated_identity", "access_key", "consent", "consent_claim", "consent_resource",
            "consent_redirect", "past_sign_in",
        ] {
            try db.run("DELETE FROM \(table) WHERE user_id = ?", [user.rawValue])
        }
        try db.run(
            "UPDATE \"user\" SET accepted = '{}', voided_at = ?, disputed_at = NULL WHERE id = ?",
            [now.rawValue, user.rawValue])
        var scope = RevocationScope(.credentialChanged, at: now)
        scope.keptReference = reference
        try Revocation.end(scope, of: user, db)
    }

    /// Who resets a password may do so because a thief has it, or has set it: what was agreed to since it was set goes too.
    private static func withdrawConsents(of user: UserID, _ db: SQLSession) throws {
        for table in ["consent", "consent_claim", "consent_resource", "consent_redirect"] {
            try db.run(
                """
                DELETE FROM \(table) WHERE user_id = ?1
                    AND given_at >= coalesce((SELECT set_at FROM password_state WHERE user_id = ?1), 0)
                """, [user.rawValue])
        }
    }

    /// Records whether the password was chosen with an address as the only verification.
    private static func note(_ origin: PasswordChange.Origin, of user: UserID, _ db: SQLSession, at now: UnixTime)
        throws
    {
        let resetAt: Int64?
        switch origin {
        case .formerPassword: return
        case .address: resetAt = now.rawValue
        case .strong: resetAt = nil
        }
        try db.run("UPDATE password_state SET reset_at = ? WHERE user_id = ?", [resetAt, user.rawValue])
    }

    /// Removes the password, which stays among the earlier ones, as a part of another transaction. It can only be reset.
    static func remove(of user: UserID, _ db: SQLSession) throws {
        let row = try db.first("DELETE FROM password WHERE user_id = ? RETURNING hash", [user.rawValue])
        guard let row else { return }
        try addToHistory(row["hash"], of: user, db)
    }

    private static func addToHistory(_ hash: String, of user: UserID, _ db: SQLSession) throws {
        try db.run(
            """
            INSERT INTO password_history (user_id, number, hash)
            SELECT ?1, coalesce(max(number), 0) + 1, ?2 FROM password_history WHERE user_id = ?1
            """,
            [user.rawValue, hash])
    }

    /// Records when a password was set, and whether it permits only its replacement.
    private static func note(_ user: UserID, mustReplace: Bool, _ db: SQLSession, at now: UnixTime) throws {
        try db.run(
            """
            INSERT INTO password_state (user_id, set_at, must_replace) VALUES (?, ?, ?)
            ON CONFLICT (user_id) DO UPDATE SET set_at = excluded.set_at, must_replace = excluded.must_replace
            """,
            [user.rawValue, now.rawValue, mustReplace])
    }
}
