internal import GRDB
internal import KeyturnBase
internal import Model

/// Counts of failures.
struct SQLAttemptStore: AttemptStore {
    let database: SQLiteDatabase

    func count(_ keys: [String], windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [AttemptCount] {
        try await database.write { db in
            try keys.map { key in
                let row = try db.first(
                    """
                    INSERT INTO attempt (key, failures, last_at) VALUES (?1, 1, ?2)
                    ON CONFLICT (key) DO UPDATE SET
                        previous_at = CASE WHEN failures = 0 OR last_at <= ?2 - ?3 THEN NULL ELSE last_at END,
                        failures = CASE WHEN last_at <= ?2 - ?3 THEN 1 ELSE failures + 1 END,
                        last_at = ?2
                    RETURNING failures, previous_at, known_at
                    """,
                    [key, now.rawValue, windowSeconds])
                guard let row else { throw DatabaseError(resultCode: .SQLITE_INTERNAL) }
                return AttemptCount(
                    key: key, failures: row["failures"], previousAt: row.optionalTime("previous_at"),
                    isKnown: row.optionalTime("known_at") != nil)
            }
        }
    }

    func isKnown(_ key: String) async throws(StoreError) -> Bool {
        try database.read { db in
            try db.first("SELECT 1 FROM attempt WHERE key = ? AND known_at IS NOT NULL", [key]) != nil
        }
    }

    func succeed(_ keys: [String], shared: String, known: String, at now: UnixTime) async throws(StoreError) {
        try await database.write { db in
            for key in keys { try db.run("UPDATE attempt SET failures = 0, previous_at = NULL WHERE key = ?", [key]) }
            try db.run("UPDATE attempt SET failures = max(failures - 1, 0) WHERE key = ?", [shared])
            try db.run(
                """
                INSERT INTO attempt (key, failures, last_at, known_at) VALUES (?1, 0, ?2, ?2)
                ON CONFLICT (key) DO UPDATE SET known_at = excluded.known_at
                """,
                [known, now.rawValue])
        }
    }
}
