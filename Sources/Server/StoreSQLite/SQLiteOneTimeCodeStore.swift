internal import Foundation
internal import GRDB
internal import Identity
internal import KeyturnBase

/// One-time codes and the tries at them.
struct SQLiteOneTimeCodeStore: OneTimeCodeStore {
    let database: SQLiteDatabase

    func add(_ code: PendingCode, liveMax: Int, at now: UnixTime) async throws(StoreError) {
        try await database.write { db in
            try db.run(
                """
                INSERT INTO one_time_code (slot, digest, purpose, user_id, facts, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (slot, digest) DO UPDATE SET purpose = excluded.purpose, user_id = excluded.user_id,
                    facts = excluded.facts, created_at = excluded.created_at, expires_at = excluded.expires_at
                """,
                [
                    code.slot, Data(code.digest.bytes), code.facts.purpose.rawValue, code.facts.userID?.rawValue,
                    code.facts.json.columnText, now.rawValue, code.expiresAt.rawValue,
                ])
            try db.run(
                """
                DELETE FROM one_time_code WHERE slot = ?1 AND (expires_at <= ?2 - ?4 OR digest NOT IN (
                    SELECT digest FROM one_time_code WHERE slot = ?1
                    ORDER BY digest = ?5 DESC, created_at DESC, expires_at DESC LIMIT ?3))
                """,
                [code.slot, now.rawValue, liveMax, Limits.proofSeconds, Data(code.digest.bytes)])
        }
    }

    func redeem(_ attempt: CodeTry, triesMax: Int64, windowSeconds: Int64, at now: UnixTime)
        async throws(StoreError) -> CodeVerdict
    {
        try await database.write { db in
            let counted = try db.first(
                """
                INSERT INTO code_tries (slot, party, tries, ends_at) VALUES (?1, ?2, 1, ?3 + ?4)
                ON CONFLICT (slot, party) DO UPDATE SET
                    tries = CASE WHEN ends_at <= ?3 THEN 1 ELSE tries + 1 END,
                    ends_at = CASE WHEN ends_at <= ?3 THEN excluded.ends_at ELSE ends_at END
                RETURNING tries, ends_at
                """,
                [attempt.slot, attempt.party, now.rawValue, windowSeconds])
            guard let counted else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
            let tries: Int64 = counted["tries"]
            guard tries <= triesMax else { return .exhausted(retryAt: counted.time("ends_at")) }
            for digest in attempt.digests {
                // The DELETE is the single-use gate: whoever gets the row has spent it.
                let row = try db.first(
                    "DELETE FROM one_time_code WHERE slot = ? AND digest = ? RETURNING purpose, facts, expires_at",
                    [attempt.slot, Data(digest.bytes)])
                guard let row else { continue }
                guard row.time("expires_at") > now else { return .expired }
                try db.run(
                    "DELETE FROM one_time_code WHERE slot = ? AND purpose = ?",
                    [attempt.slot, row["purpose"] as String])
                try db.run("DELETE FROM code_tries WHERE slot = ?", [attempt.slot])
                return .right(try row.facts())
            }
            return .wrong
        }
    }

    func removeAll(of user: UserID) async throws(StoreError) {
        try await database.write { db in
            try db.run("DELETE FROM one_time_code WHERE user_id = ?", [user.rawValue])
        }
    }
}

extension Row {
    /// The facts of a code, link or sign-up. A damaged row is an error, never a guess.
    func facts() throws -> ProofFacts {
        let text: String = self["facts"]
        guard let json = try? JSONValue(parsing: text.utf8), let facts = ProofFacts(json: json) else {
            throw DatabaseError(resultCode: .SQLITE_CORRUPT)
        }
        return facts
    }
}
