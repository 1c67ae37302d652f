internal import Foundation
internal import GRDB
internal import KeyturnBase
internal import Model

/// What was used and may not be used again.
struct SQLSpentStore: SpentStore {
    let database: SQLiteDatabase

    func spend(_ mark: SpentMark) async throws(StoreError) -> Bool {
        try await database.write { db in try Self.spend(mark, db) }
    }

    /// - Returns: `false` if it was spent before.
    static func spend(_ mark: SpentMark, _ db: Database) throws -> Bool {
        try db.run(
            "INSERT INTO spent (digest, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [Data(mark.digest), mark.expiresAt.rawValue])
        return db.changesCount == 1
    }
}
