internal import KeyturnBase

/// One user's part of the vault, with the key that opens it. In memory alone.
struct OpenedVault: Sendable {
    let user: String
    let keyID: String
    let key: DataKey
}

/// The store of a session that a vault keeps: what is read is unsealed, what is written is sealed.
///
/// Conditions, locks and marks are those of the store below, so everything that holds for a session holds for this one.
/// A process that stores app data at the same moment does not conflict: the record is read and written again.
final class VaultedStore: SeparateStore {
    private let records: VaultRecords
    let opened: OpenedVault
    /// What is held in memory instead, where renewals are not stored; `nil`: they are.
    private let held: Locked<StoredRecord?>
    private let storesRenewals: Bool

    /// - Parameter storesRenewals: `false`: the vault stays as it is; what changes lives in memory.
    init(_ records: VaultRecords, _ opened: OpenedVault, storesRenewals: Bool) {
        self.records = records
        self.opened = opened
        self.storesRenewals = storesRenewals
        held = Locked(nil)
    }

    func read(_ container: String) async -> StoreReading {
        do throws(AuthError) {
            guard let record = try own(try await records.find(opened.user)?.record),
                let session = try record.openSession(opened.key)
            else { return .absent }
            return .found(held.withLock { $0 } ?? session)
        } catch {
            return .unavailable(error)
        }
    }

    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        guard storesRenewals else {
            guard case .found(let found) = await read(container), condition.holds(for: found.generation) else {
                return .overtaken
            }
            held.withLock { $0 = record }
            return .done
        }
        return try await replace(when: condition) { (next) throws(AuthError) in
            try next.seal(record, self.opened.key, ambient: self.records.ambient)
        }
    }

    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        if !storesRenewals {
            guard condition == .always || held.withLock({ $0 == nil || condition.holds(for: $0?.generation) }) else {
                return .overtaken
            }
            _ = try await replace(when: .always) { (next) throws(AuthError) in next.session = nil }
            held.withLock { $0 = nil }
            return .done
        }
        return try await replace(when: condition) { (next) throws(AuthError) in next.session = nil }
    }

    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        try await records.store.lock(container, timeoutSeconds: timeoutSeconds)
    }

    func changeMark(_ container: String) async -> ChangeMark? {
        await records.store.changeMark(records.place(opened.user))
    }

    func signedOut() async throws(AuthError) {
        try await records.removeOpen(of: opened.user)
    }

    /// - Parameter change: What becomes of the record, if the session in it is the one that was meant.
    private func replace(
        when condition: StoreCondition, _ change: (inout VaultRecord) throws(AuthError) -> Void
    ) async throws(AuthError) -> StoreOutcome {
        var outcome = StoreOutcome.done
        try await records.update(opened.user) { (record) throws(AuthError) in
            outcome = .done
            // A late answer brings no user back into a vault.
            guard var next = try self.own(record), condition.holds(for: next.session?.generation) else {
                outcome = .overtaken
                return nil
            }
            try change(&next)
            return next
        }
        return outcome
    }

    /// The record, as long as this key opens it.
    ///
    /// - Throws: `vault.locked` if another process has changed the key meanwhile: the session goes on there.
    private func own(_ record: VaultRecord?) throws(AuthError) -> VaultRecord? {
        guard let record else { return nil }
        guard record.keyID == opened.keyID else {
            throw AuthError(.vaultLocked, "the key was changed elsewhere: unlock again")
        }
        return record
    }
}
