internal import KeyturnBase

/// A container's key behind a touch: what is remembered of it in the store, and the key itself on the device.
///
/// The key goes first and the record of it afterwards, so that nothing is ever left on the device that is not known of.
final class BiometricMemory: Sendable {
    let store: any SessionStore
    let device: any BiometricDevice
    let client: SessionRecord.Client
    /// Whether what is remembered ends with the process.
    let isForgotten: Bool
    /// The record's place in the store.
    let place: String
    /// Whether a sign-in has ended the key, and it could not be removed then.
    private let mustForget = Locked(false)

    init(
        store: any SessionStore, container: String, device: any BiometricDevice, client: SessionRecord.Client,
        isForgotten: Bool
    ) {
        self.isForgotten = isForgotten
        self.store = store
        self.device = device
        self.client = client
        place = Self.place(container)
    }

    /// Where the record of `container` lies.
    static func place(_ container: String) -> String { container + "/biometric-key" }

    /// What the device knows a key by.
    static func name(_ keyID: String) -> String { "biometric." + keyID }

    /// What is remembered; ``BiometricRecord/none`` if nothing is.
    func read() async throws(AuthError) -> BiometricRecord {
        switch await store.read(place) {
        case .absent: return .none
        case .unavailable(let error): throw error
        case .found(let record): return try BiometricRecord(record)
        }
    }

    /// The key that this client set up; `nil` if there is none. One of another person is removed.
    ///
    /// - Parameter subject: Who is signed in; `nil`: no user.
    func key(of subject: String?) async throws(AuthError) -> BiometricRecord.Key? {
        if mustForget.withLock({ $0 }) { try await forget() }
        guard let key = try await read().key, key.client == client else { return nil }
        if let subject, let owner = key.subject, owner != subject {
            try await forget(only: key.id)
            return nil
        }
        return key
    }

    /// The same with the key on the device; one that is not there any more is forgotten.
    func usableKey(
        of subject: String?
    ) async throws(AuthError) -> (remembered: BiometricRecord.Key, key: any BiometricKey)? {
        guard let remembered = try await key(of: subject) else { return nil }
        guard let key = try await device.key(Self.name(remembered.id)) else {
            try await forget(only: remembered.id)
            return nil
        }
        return (remembered, key)
    }

    /// Removes every key of this container, and then the record.
    ///
    /// - Parameter keyID: Only if it is this one that signs in.
    /// - Throws: `store.unavailable`; there may be something left.
    func forget(only keyID: String? = nil) async throws(AuthError) {
        for _ in 0..<Limits.fileRetries {
            let record = try await read()
            guard record != .none, keyID == nil || record.key?.id == keyID else { return settle(keyID) }
            for id in record.keyIDs { try await device.removeKey(Self.name(id)) }
            guard try await store.remove(place, when: record.condition) == .overtaken else { return settle(keyID) }
        }
        throw AuthError(.storeUnavailable, "the store changes all the time")
    }

    /// A user has signed in by other means: the key is not to open their session with, nor theirs to close.
    ///
    /// First of all it cannot be found any more, whether or not the device can be reached. What cannot be removed now
    /// is removed before the next one is used.
    func endKey() async {
        mustForget.withLock { $0 = true }
        do throws(AuthError) {
            let record = try await read()
            if record.key != nil {
                let next = record.next(key: nil, leftovers: record.keyIDs)
                _ = try await store.write(next.stored, for: place, when: record.condition)
            }
            try await forget()
        } catch {}
    }

    private func settle(_ keyID: String?) {
        if keyID == nil { mustForget.withLock { $0 = false } }
    }
}
