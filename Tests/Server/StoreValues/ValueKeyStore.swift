internal import KeyturnBase
internal import Model

/// Signing keys with their schedule.
struct ValueKeyStore: KeyStore {
    let database: ValueDatabase

    func all() throws(StoreError) -> [StoredKey] {
        try database.read { world in
            world.keys.values.sorted {
                ($0.activatesAt, $0.createdAt, $0.keyID) < ($1.activatesAt, $1.createdAt, $1.keyID)
            }
        }
    }

    func add(_ key: StoredKey) throws(StoreError) -> Bool {
        try database.write { world in
            let isThere = world.keys.values.contains { other in
                other.algorithm == key.algorithm && other.retiresAt > key.createdAt
                    && (other.activatesAt >= key.activatesAt || key.activatesAt <= key.createdAt)
            }
            guard !isThere else { return false }
            guard world.keys[key.keyID] == nil else { throw StoreError(.conflict) }
            world.keys[key.keyID] = key
            return true
        }
    }

    func schedule(_ keyID: String, retiresAt: UnixTime, removedAt: UnixTime) throws(StoreError) {
        try database.write { world in
            guard let key = world.keys[keyID] else { throw StoreError(.missing) }
            world.keys[keyID] = StoredKey(
                keyID: keyID, algorithm: key.algorithm, sealedPrivateKey: key.sealedPrivateKey,
                createdAt: key.createdAt, activatesAt: key.activatesAt, retiresAt: retiresAt, removedAt: removedAt)
        }
    }

    func removeExpired(at now: UnixTime) throws(StoreError) {
        try database.write { world in world.keys = world.keys.filter { $0.value.removedAt > now } }
    }
}
