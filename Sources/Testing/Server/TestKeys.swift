internal import KeyturnBase
internal import KeyturnJose
internal import Model
internal import StoreSQL

/// One RSA key, and the secrets that seal it, for all servers of a process: generating one takes a second if the
/// cryptographic library is not optimised. Each server has its own other keys.
struct TestKeys: Sendable {
    let secrets: ServerSecrets
    private let key: StoredKey

    static let shared = Task { try await TestKeys() }

    private init() async throws {
        guard let secrets = ServerSecrets([ServerSecrets.random(.live)]) else {
            preconditionFailure("one secret is fine")
        }
        let store = try SQLiteDatabase(path: nil).stores().keys
        let rotation = KeyRotation(store: store, secrets: secrets, tokenSecondsMax: 0, ambient: .live)
        guard let key = try await rotation.rotate(.rs256) else { preconditionFailure("there was no key before") }
        self.secrets = secrets
        self.key = key
    }

    /// The stored key, as if generated at `now`.
    func stored(at now: UnixTime) -> StoredKey {
        let retiresAt = now + Limits.keySigningSeconds
        return StoredKey(
            keyID: key.keyID, algorithm: key.algorithm, sealedPrivateKey: key.sealedPrivateKey, createdAt: now,
            activatesAt: now, retiresAt: retiresAt, removedAt: retiresAt + 365 * 86_400)
    }
}
