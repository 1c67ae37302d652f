public import KeyturnBase

/// Signing keys with their schedule; the private half arrives sealed.
public protocol KeyStore: Sendable {
    /// Every key that is not yet removed, oldest first.
    func all() async throws(StoreError) -> [StoredKey]

    /// Adds a key unless one of the same algorithm with the same `activatesAt` or later exists, or the key is to sign at
    /// once and any other one of the algorithm has not retired: of several servers that rotate at once, one succeeds.
    ///
    /// - Returns: whether it was added.
    func add(_ key: StoredKey) async throws(StoreError) -> Bool

    /// Sets when a key stops signing and when it stops being published.
    func schedule(_ keyID: String, retiresAt: UnixTime, removedAt: UnixTime) async throws(StoreError)

    /// Removes keys that are no longer published.
    func removeExpired(at now: UnixTime) async throws(StoreError)
}
