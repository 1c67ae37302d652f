import KeyturnBase
import KeyturnWire
import Model
import Testing

/// Keys that devices have.
extension Bench {
    func biometricKey(_ id: String, of account: Account, client: String = "web") -> StoredBiometricKey {
        StoredBiometricKey(
            id: id, userID: account.user.id, clientID: client, scope: Scope(names: ["openid"]), isStrong: true,
            publicKey: .object(["kty": "EC", "x": "1"]), algorithm: "ES256", device: "Telephone", createdAt: now)
    }

    func dataKey(_ id: String = "key", realm: String = "", of account: Account? = nil, at time: UnixTime? = nil)
        -> StoredDataKey
    {
        StoredDataKey(
            id: id, realm: realm, userID: account?.user.id, clientID: account.map { _ in "web" }, wraps: wraps(1),
            createdAt: time ?? now)
    }

    func wraps(_ number: UInt8) -> DataKeyWraps {
        DataKeyWraps(
            salt: [UInt8](repeating: number, count: 16),
            parameters: Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1), bySecret: [number],
            byLongSecret: [number],
            longSecret: [9])
    }

    /// Begins an attempt that has to begin.
    func begin(_ id: String = "key", realm: String = "", at time: UnixTime? = nil) async throws -> KeyAttempt {
        let start = try await stores.dataKeys.begin(id, realm: realm, charges: [], at: time ?? now)
        guard case .begun(let attempt) = start else {
            Issue.record("\(start)")
            throw StoreError(.missing)
        }
        return attempt
    }
}
