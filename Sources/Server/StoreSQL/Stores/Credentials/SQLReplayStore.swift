internal import Foundation
internal import KeyturnBase
internal import Model

/// Values that were used and are not accepted again.
struct SQLReplayStore: ReplayStore {
    let database: any SQLDatabase

    func spend(_ mark: ReplayMark) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in try Self.spend(mark, db) }
    }

    func spend(_ mark: ReplayMark, attempt: [UInt8]) async throws(StoreError) -> Bool {
        try await database.once(.local) { db in
            try db.run(
                """
                INSERT INTO spent (digest, expires_at, attempt) VALUES (?, ?, ?)
                ON CONFLICT (digest) DO UPDATE SET attempt = excluded.attempt WHERE spent.attempt = excluded.attempt
                """, [Data(mark.digest), mark.expiresAt.rawValue, Data(attempt)]) == 1
        }
    }

    /// - Returns: `false` if it was used before.
    static func spend(_ mark: ReplayMark, _ db: SQLSession) throws -> Bool {
        return try db.run(
            "INSERT INTO spent (digest, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [Data(mark.digest), mark.expiresAt.rawValue]) == 1
    }
}
