internal import KeyturnBase
internal import Model

/// Counts of failures.
struct SQLAttemptStore: AttemptStore {
    let database: any SQLDatabase

    func count(_ keys: [String], windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [AttemptCount] {
        try await database.write(.guarded) { db in
            var counts: [AttemptCount?] = keys.map { _ in nil }
            // Always in the same order: two transactions that count the same keys do not wait for each other.
            for index in keys.indices.sorted(by: { keys[$0] < keys[$1] }) {
                let key = keys[index]
                let row = try db.first(
                    """
                    INSERT INTO attempt (key, failures, last_at) VALUES (?1, 1, ?2)
                    ON CONFLICT (key) DO UPDATE SET
                        previous_at = CASE WHEN attempt.failures = 0 OR attempt.last_at <= ?2 - ?3 THEN NULL
                            ELSE attempt.last_at END,
                        failures = CASE WHEN attempt.last_at <= ?2 - ?3 THEN 1 ELSE attempt.failures + 1 END,
                        last_at = ?2
                    RETURNING failures, previous_at, known_at
                    """,
                    [key, now.rawValue, windowSeconds])
                guard let row else { throw SQLProblem.noRow }
                counts[index] = AttemptCount(
                    key: key, failures: row["failures"], previousAt: row.optionalTime("previous_at"),
                    isKnown: row.optionalTime("known_at") != nil)
            }
            return counts.compactMap(\.self)
        }
    }

    func isKnown(_ key: String) async throws(StoreError) -> Bool {
        try await database.read { db in
            try db.first("SELECT 1 FROM attempt WHERE key = ? AND known_at IS NOT NULL", [key]) != nil
        }
    }

    func succeed(_ keys: [String], shared: String, known: String, at now: UnixTime) async throws(StoreError) {
        try await database.write(.guarded) { db in
            for key in Set(keys + [shared, known]).sorted() {
                if keys.contains(key) {
                    try db.run("UPDATE attempt SET failures = 0, previous_at = NULL WHERE key = ?", [key])
                }
                if key == shared {
                    try db.run(
                        "UPDATE attempt SET failures = \(SQL.decremented("failures")) WHERE key = ?", [key])
                }
                guard key == known else { continue }
                try db.run(
                    """
                    INSERT INTO attempt (key, failures, last_at, known_at) VALUES (?1, 0, ?2, ?2)
                    ON CONFLICT (key) DO UPDATE SET known_at = excluded.known_at
                    """,
                    [key, now.rawValue])
            }
        }
    }
}
