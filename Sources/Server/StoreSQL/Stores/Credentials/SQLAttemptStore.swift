internal import KeyturnBase
internal import Model

/// Counts of failures.
struct SQLAttemptStore: AttemptStore {
    let database: any SQLDatabase

    func count(_ keys: [String], windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [AttemptCount] {
        guard !keys.isEmpty else { return [] }
        // In the same order each time: two transactions that count the same keys do not wait for each other.
        let ordered = Set(keys).sorted()
        let rows = ordered.indices.map { "(?\($0 + 3), 1, ?1)" }.joined(separator: ", ")
        let sql = """
            INSERT INTO attempt (key, failures, last_at) VALUES \(rows)
            ON CONFLICT (key) DO UPDATE SET
                previous_at = CASE WHEN attempt.failures = 0 OR attempt.last_at <= ?1 - ?2 THEN NULL
                    ELSE attempt.last_at END,
                failures = CASE WHEN attempt.last_at <= ?1 - ?2 THEN 1 ELSE attempt.failures + 1 END,
                last_at = ?1
            RETURNING key, failures, previous_at, known_at
            """
        let counts = try await database.write(.guarded) { db in
            try db.all(sql, [now.rawValue, windowSeconds] + ordered as Values).map { row in
                AttemptCount(
                    key: row["key"], failures: row["failures"], previousAt: row.optionalTime("previous_at"),
                    isKnown: row.optionalTime("known_at") != nil)
            }
        }
        return try keys.map { key throws(StoreError) in
            guard let count = counts.first(where: { $0.key == key }) else { throw StoreError(.unavailable) }
            return count
        }
    }

    func isKnown(_ key: String) async throws(StoreError) -> Bool {
        try await database.read { db in
            try db.first("SELECT 1 FROM attempt WHERE key = ? AND known_at IS NOT NULL", [key]) != nil
        }
    }

    func succeed(_ keys: [String], shared: String, known: [String], at now: UnixTime) async throws(StoreError) {
        try await database.write(.guarded) { db in
            for key in Set(keys + [shared] + known).sorted() {
                if keys.contains(key) {
                    try db.send("UPDATE attempt SET failures = 0, previous_at = NULL WHERE key = ?", [key])
                }
                if key == shared {
                    try db.send(
                        "UPDATE attempt SET failures = \(SQL.decremented("failures")) WHERE key = ?", [key])
                }
                guard known.contains(key) else { continue }
                try db.send(
                    """
                    INSERT INTO attempt (key, failures, last_at, known_at) VALUES (?1, 0, ?2, ?2)
                    ON CONFLICT (key) DO UPDATE SET known_at = excluded.known_at
                    """,
                    [key, now.rawValue])
            }
        }
    }

    /// Removes the counts at an account that is deleted: their keys name its addresses. Those of networks stay.
    static func forget(_ user: UserID, _ db: SQLSession) throws {
        let names = try db.all(
            """
            SELECT kind, value FROM identifier WHERE user_id = ?1
            UNION SELECT kind, value FROM former_identifier WHERE user_id = ?1
            """, [user.rawValue])
        let accounts = names.compactMap(\.identifier).flatMap {
            [AttemptSubject.account($0), AttemptSubject.unassigned($0)]
        }
        for subject in Set(accounts + [AttemptSubject.secondFactor(of: user), AttemptSubject.owner(user)]).sorted() {
            // "A" follows "@".
            try db.run(
                "DELETE FROM attempt WHERE key = ?1 OR (key >= ?2 AND key < ?3)",
                [subject, "\(subject)@", "\(subject)A"])
        }
    }
}
