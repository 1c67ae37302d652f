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

    func set(_ change: PasswordChange, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.changing(change.userID)) { db in
            let id = change.userID.rawValue
            let present = try db.first(
                "SELECT p.hash FROM \"user\" u LEFT JOIN password p ON p.user_id = u.id WHERE u.id = ?", [id])
            guard let present else { return false }
            let old: String? = present["hash"]
            if let expected = change.replacing, old != expected { return false }
            if let old {
                try Self.addToHistory(old, of: change.userID, db)
                try db.run(
                    """
                    DELETE FROM password_history WHERE user_id = ?1 AND number NOT IN (
                        SELECT number FROM password_history WHERE user_id = ?1 ORDER BY number DESC LIMIT ?2)
                    """,
                    [id, change.historyMax])
            }
            try db.run(
                """
                INSERT INTO password (user_id, hash) VALUES (?, ?)
                ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash
                """,
                [id, change.hash])
            try Self.note(change.userID, mustReplace: change.mustReplace, db, at: now)
            try Self.note(change.origin, of: change.userID, db, at: now)
            try Revocation.end(RevocationScope(change, at: now), of: change.userID, db)
            return true
        }
    }

    func expire(_ user: UserID, at now: UnixTime) async throws(StoreError) -> Bool {
        try await database.write(.changing(user)) { db in
            guard try db.first("SELECT 1 FROM password WHERE user_id = ?", [user.rawValue]) != nil else { return false }
            try Self.note(user, mustReplace: true, db, at: now)
            return true
        }
    }

    func void(_ user: UserID, keeping reference: SecretDigest?, at now: UnixTime) async throws(StoreError) {
        try await database.write(.changing(user)) { db in
            for table in [
                "password", "password_state", "password_history", "authenticator", "recovery_code", "passkey",
                "federated_identity", "access_key",
            ] {
                try db.run("DELETE FROM \(table) WHERE user_id = ?", [user.rawValue])
            }
            var scope = RevocationScope(.credentialChanged, at: now)
            scope.keptReference = reference
            try Revocation.end(scope, of: user, db)
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
