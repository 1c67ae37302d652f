public import KeyturnBase

/// Signing keys whose changes stand in the audit log.
public struct AuditedKeyStore: KeyStore {
    /// One change of the keys, and the event that tells of it.
    private struct Change: Sendable {
        let kind: AuditEvent.Kind
        let keyID: String
        var reason: String?
        /// Whether anything was changed.
        let work: @Sendable (any KeyStore) async throws(StoreError) -> Bool
    }

    private let base: any KeyStore
    private let commit: @Sendable (Change) async throws(StoreError) -> Bool

    /// Each change and its event are one transaction.
    ///
    /// - Parameter recording: the keys for the one write that an event of this kind tells of.
    public init(
        _ base: any KeyStore,
        recording: @escaping @Sendable (_ kind: AuditEvent.Kind, _ keyID: String, _ reason: String?) -> any KeyStore
    ) {
        self.base = base
        commit = { change throws(StoreError) in
            try await change.work(recording(change.kind, change.keyID, change.reason))
        }
    }

    /// Each change is recorded when it is done.
    ///
    /// - Parameter actor: who changes the keys.
    public init(_ base: any KeyStore, audit: any AuditLog, actor: String, ambient: Ambient) {
        self.base = base
        commit = { change throws(StoreError) in
            guard try await change.work(base) else { return false }
            audit.record(
                AuditEvent(
                    change.kind, at: ambient.now(), reason: change.reason, actor: actor, target: change.keyID))
            return true
        }
    }

    public func all() async throws(StoreError) -> [StoredKey] {
        try await base.all()
    }

    public func add(_ key: StoredKey) async throws(StoreError) -> Bool {
        try await commit(
            Change(kind: .signingKeyAdded, keyID: key.keyID, reason: key.algorithm) { store throws(StoreError) in
                try await store.add(key)
            })
    }

    public func schedule(_ keyID: String, retiresAt: UnixTime, removedAt: UnixTime) async throws(StoreError) {
        let kind: AuditEvent.Kind = retiresAt == removedAt ? .signingKeyDropped : .signingKeyRetired
        _ = try await commit(
            Change(kind: kind, keyID: keyID) { store throws(StoreError) in
                try await store.schedule(keyID, retiresAt: retiresAt, removedAt: removedAt)
                return true
            })
    }

    public func removeExpired(at now: UnixTime) async throws(StoreError) {
        try await base.removeExpired(at: now)
    }
}
