internal import Foundation
internal import KeyturnBase
internal import Model

/// One-time codes and the tries at them.
struct SQLOneTimeCodeStore: OneTimeCodeStore {
    let database: any SQLDatabase

    func add(_ code: PendingCode, liveMax: Int, at now: UnixTime) async throws(StoreError) {
        try await database.write(.guarded) { db in
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

    func redeem(_ attempt: CodeTry, windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> CodeVerdict {
        try await database.write(.guarded) { db in
            var toldUntil: UnixTime?
            var isSpent = false
            for count in attempt.counts.sorted(by: { ($0.slot, $0.party) < ($1.slot, $1.party) }) {
                let (tries, endsAt) = try Self.note(count, windowSeconds: windowSeconds, db, at: now)
                guard tries > count.max else { continue }
                if count.isTold { toldUntil = max(toldUntil ?? endsAt, endsAt) } else { isSpent = true }
            }
            if let toldUntil { return .exhausted(retryAt: toldUntil) }
            guard !isSpent else { return .wrong }
            for digest in attempt.digests {
                // The DELETE is the single-use gate: the call that gets the row has used the code.
                let row = try db.first(
                    "DELETE FROM one_time_code WHERE slot = ? AND digest = ? RETURNING purpose, facts, expires_at",
                    [attempt.slot, Data(digest.bytes)])
                guard let row else { continue }
                guard row.time("expires_at") > now else { return .expired }
                try db.run(
                    "DELETE FROM one_time_code WHERE slot = ? AND purpose = ?",
                    [attempt.slot, row["purpose"] as String])
                for slot in Set(attempt.counts.map(\.slot)).sorted() {
                    try db.run("DELETE FROM code_tries WHERE slot = ?", [slot])
                }
                let facts = try row.facts()
                return try SQLRateLimitStore.spendMessage(of: facts, db, at: now) ? .right(facts) : .wrong
            }
            return .wrong
        }
    }

    /// Counts a try, before anything is compared.
    private static func note(_ count: TryCount, windowSeconds: Int64, _ db: SQLSession, at now: UnixTime) throws -> (
        tries: Int64, endsAt: UnixTime
    ) {
        let row = try db.first(
            """
            INSERT INTO code_tries (slot, party, tries, ends_at) VALUES (?1, ?2, 1, ?3 + ?4)
            ON CONFLICT (slot, party) DO UPDATE SET
                tries = CASE WHEN code_tries.ends_at <= ?3 THEN 1 ELSE code_tries.tries + 1 END,
                ends_at = CASE WHEN code_tries.ends_at <= ?3 THEN excluded.ends_at ELSE code_tries.ends_at END
            RETURNING tries, ends_at
            """,
            [count.slot, count.party, now.rawValue, windowSeconds])
        guard let row else { throw SQLProblem.noRow }
        return (row["tries"], row.time("ends_at"))
    }

    func exhausted(_ counts: [TryCount], at now: UnixTime) async throws(StoreError) -> UnixTime? {
        try await database.read { db in
            try counts.compactMap { count in
                try db.first(
                    "SELECT ends_at FROM code_tries WHERE slot = ? AND party = ? AND tries >= ? AND ends_at > ?",
                    [count.slot, count.party, count.max, now.rawValue]
                )?.time("ends_at")
            }.max()
        }
    }

    func removeAll(of user: UserID) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run("DELETE FROM one_time_code WHERE user_id = ?", [user.rawValue])
        }
    }

    /// Removes the codes that would change an address of the user.
    static func removeChanges(of user: UserID, _ db: SQLSession) throws {
        try db.run(
            "DELETE FROM one_time_code WHERE user_id = ? AND purpose = ?",
            [user.rawValue, VerificationFacts.Purpose.update.rawValue])
    }
}

extension SQLRow {
    /// The facts of a code, link or sign-up. A damaged row is an error, never a guess.
    func facts() throws -> VerificationFacts {
        let text: String = self["facts"]
        guard let json = try? JSONValue(parsing: text.utf8), let facts = VerificationFacts(json: json) else {
            throw SQLProblem.damagedRow
        }
        return facts
    }
}
