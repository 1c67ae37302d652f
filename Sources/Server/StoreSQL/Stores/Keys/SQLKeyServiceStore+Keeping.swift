internal import Foundation
internal import KeyturnBase
internal import Model

/// Creates, lists and removes data keys.
extension SQLKeyServiceStore {
    func add(_ key: StoredDataKey, name: SecretDigest?, at now: UnixTime) async throws(StoreError) -> KeyAddition {
        let named = name.map { SQLLock.name("data-key:\(Base64URL.encode($0.bytes))") }
        let locks = [named, key.userID.map { .user($0, shared: false) }].compactMap(\.self)
        return try await database.write(.locking(locks)) { db in
            if let name {
                // After a day, a request with the same name is a new one.
                try db.run(
                    "UPDATE data_key SET name = NULL WHERE name = ? AND created_at <= ?",
                    [Data(name.bytes), (now - Limits.idempotencySeconds).rawValue])
                if let row = try db.first("SELECT id FROM data_key WHERE name = ?", [Data(name.bytes)]) {
                    return .repeated(id: row["id"])
                }
            }
            try Self.makeRoom(for: key, db)
            try db.run(
                """
                INSERT INTO data_key (
                    id, realm, user_id, client_id, salt, memory_kib, passes, lanes, by_secret, by_long_secret,
                    long_secret, failures, attempt, name, created_at
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)
                """,
                [
                    key.id, key.realm, key.userID?.rawValue, key.clientID, Data(key.wraps.salt),
                    Int64(key.wraps.parameters.memoryKiB), Int64(key.wraps.parameters.passes),
                    Int64(key.wraps.parameters.lanes), Data(key.wraps.bySecret), Data(key.wraps.byLongSecret),
                    Data(key.wraps.longSecret), name.map { Data($0.bytes) }, key.createdAt.rawValue,
                ])
            return .added
        }
    }

    /// Removes the least recently used key of an owner with the maximum number of keys.
    private static func makeRoom(for key: StoredDataKey, _ db: SQLSession) throws {
        guard let user = key.userID else { return }
        try db.run(
            """
            DELETE FROM data_key WHERE id IN (
                SELECT id FROM data_key WHERE user_id = ?1 AND client_id IS NOT DISTINCT FROM ?2
                ORDER BY coalesce(used_at, created_at) DESC, id LIMIT \(SQL.noLimit) OFFSET ?3
            )
            """,
            [user.rawValue, key.clientID, Limits.keysPerOwnerMax - 1])
    }

    func key(named name: SecretDigest, at now: UnixTime) async throws(StoreError) -> String? {
        try await database.read { db in
            try db.first(
                "SELECT id FROM data_key WHERE name = ? AND created_at > ?",
                [Data(name.bytes), (now - Limits.idempotencySeconds).rawValue])?["id"]
        }
    }

    func keys(of user: UserID, realm: String, clientID: String?, limit: Int)
        async throws(StoreError) -> [StoredDataKey]
    {
        try await database.read { db in
            try db.all(
                """
                SELECT \(Self.columns) FROM data_key
                WHERE user_id = ?1 AND realm = ?2 AND (?3 IS NULL OR client_id = ?3)
                ORDER BY created_at DESC, id LIMIT ?4
                """,
                [user.rawValue, realm, clientID, limit]
            ).map { try $0.dataKey() }
        }
    }

    func remove(_ id: String, of user: UserID, realm: String, clientID: String?) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            return try db.run(
                """
                DELETE FROM data_key
                WHERE id = ?1 AND user_id = ?2 AND realm = ?3 AND (?4 IS NULL OR client_id = ?4)
                """,
                [id, user.rawValue, realm, clientID]) == 1
        }
    }

    func removeUnused(since oldest: UnixTime, neverSince oldestUnused: UnixTime, limit: Int)
        async throws(StoreError) -> Int
    {
        try await database.write(.guarded) { db in
            let used = try db.run(
                "DELETE FROM data_key WHERE id IN (SELECT id FROM data_key WHERE used_at <= ? LIMIT ?)",
                [oldest.rawValue, limit])
            let unused = try db.run(
                """
                DELETE FROM data_key WHERE id IN (
                    SELECT id FROM data_key WHERE used_at IS NULL AND created_at <= ? LIMIT ?
                )
                """,
                [oldestUnused.rawValue, limit - used])
            return used + unused
        }
    }
}
