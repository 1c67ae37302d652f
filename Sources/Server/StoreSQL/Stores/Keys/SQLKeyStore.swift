internal import Foundation
internal import KeyturnBase
internal import Model

/// Signing keys with their schedule.
struct SQLKeyStore: KeyStore {
    let database: any SQLDatabase

    func all() async throws(StoreError) -> [StoredKey] {
        try await database.read { db in try Self.keys(in: db) }
    }

    /// The keys on a connection, for every version of the schema: the first one has the table.
    static func keys(in db: SQLSession) throws -> [StoredKey] {
        try db.all(
            """
            SELECT id, algorithm, sealed, created_at, activates_at, retires_at, removed_at FROM signing_key
            ORDER BY activates_at, created_at, id
            """, []
        ).map { row in
            StoredKey(
                keyID: row["id"], algorithm: row["algorithm"], sealedPrivateKey: row.bytes("sealed"),
                createdAt: row.time("created_at"), activatesAt: row.time("activates_at"),
                retiresAt: row.time("retires_at"), removedAt: row.time("removed_at"))
        }
    }

    func add(_ key: StoredKey) async throws(StoreError) -> Bool {
        try await database.write(.locking([.name("signing-keys")])) { db in
            return try db.run(
                """
                INSERT INTO signing_key (id, algorithm, sealed, created_at, activates_at, retires_at, removed_at)
                SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7 WHERE NOT EXISTS (
                    SELECT 1 FROM signing_key WHERE algorithm = ?2 AND retires_at > ?4
                        AND (activates_at >= ?5 OR ?5 <= ?4)
                )
                """,
                [
                    key.keyID, key.algorithm, Data(key.sealedPrivateKey), key.createdAt.rawValue,
                    key.activatesAt.rawValue, key.retiresAt.rawValue, key.removedAt.rawValue,
                ]) == 1
        }
    }

    func schedule(_ keyID: String, retiresAt: UnixTime, removedAt: UnixTime) async throws(StoreError) {
        try await database.once(.replicated) { db in
            let changed = try db.run(
                "UPDATE signing_key SET retires_at = ?, removed_at = ? WHERE id = ?",
                [retiresAt.rawValue, removedAt.rawValue, keyID])
            guard changed == 1 else { throw StoreError(.missing) }
        }
    }

    func removeExpired(at now: UnixTime) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run("DELETE FROM signing_key WHERE removed_at <= ?", [now.rawValue])
        }
    }
}
