internal import Crypto
public import KeyturnBase

/// Device keys in software, kept in a session store as records of their own.
///
/// They are as safe as that store. What they add is that a refresh token alone, from a log, a proxy or a server's
/// memory, is worth nothing. A key that a chip keeps adds more: pass another ``DeviceKeys``.
public struct StoredDeviceKeys: DeviceKeys {
    private let store: any SessionStore
    /// Tells a key from a session that happens to have the same name.
    private static let generation = Generation(signIn: "device key", number: 1)

    /// Keys in `store`.
    public init(_ store: any SessionStore) {
        self.store = store
    }

    public func key(_ name: String) async -> DeviceKeyReading {
        switch await store.read(Self.place(name)) {
        case .absent: return .absent
        case .unavailable(let error): return .unavailable(error)
        case .found(let record):
            guard record.generation == Self.generation,
                let key = try? P256.Signing.PrivateKey(rawRepresentation: record.contents)
            else { return .unavailable(AuthError(.storeUnavailable, "the stored device key is damaged")) }
            return .found(SoftwareKey(key: key))
        }
    }

    public func makeKey(_ name: String) async throws(AuthError) -> any DeviceKey {
        var condition = StoreCondition.absent
        switch await self.key(name) {
        case .found(let existing): return existing
        // It is gone for good, and what was bound to it with it.
        case .unavailable(let error) where error.code == .storeKeyLost: condition = .always
        case .unavailable(let error): throw error
        case .absent: break
        }
        let key = P256.Signing.PrivateKey()
        let record = StoredRecord(generation: Self.generation, contents: Array(key.rawRepresentation))
        let outcome = try await store.write(record, for: Self.place(name), when: condition)
        if outcome == .done { return SoftwareKey(key: key) }
        switch await self.key(name) {
        case .found(let existing): return existing
        case .absent: throw AuthError(.storeUnavailable, "the device key vanished while it was made")
        case .unavailable(let error): throw error
        }
    }

    public func removeKey(_ name: String) async throws(AuthError) {
        _ = try await store.remove(Self.place(name), when: .always)
    }

    /// Where the key lies in the store.
    static func place(_ name: String) -> String {
        name + "/device-key"
    }
}

private struct SoftwareKey: DeviceKey {
    let key: P256.Signing.PrivateKey

    var publicKey: [UInt8] { Array(key.publicKey.rawRepresentation) }

    func signature(of message: [UInt8]) throws(AuthError) -> [UInt8] {
        do {
            return Array(try key.signature(for: message).rawRepresentation)
        } catch {
            throw AuthError(.storeUnavailable, "the device key does not sign", cause: error)
        }
    }
}
