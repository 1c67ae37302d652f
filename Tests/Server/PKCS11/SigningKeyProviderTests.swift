import KeyturnBase
import KeyturnJose
import StoreSQL
import Synchronization
import Testing

@testable import Model

@Suite("Signing keys that are kept elsewhere")
struct SigningKeyProviderTests {
    @Test func `a key that is away signs nothing until it is back`() async throws {
        let database = try SQLiteDatabase(path: nil)
        defer { database.close() }
        let provider = RemoteKeys()
        let ring = KeyRing(
            store: database.stores().keys, secrets: try #require(ServerSecrets([[UInt8](repeating: 1, count: 32)])),
            tokenSecondsMax: 60, provider: provider, ambient: .live)
        _ = try await ring.maintain([.es256])
        let now = Ambient.live.now()
        #expect(ring.signer(.es256, at: now) != nil)
        provider.isAway.store(true, ordering: .relaxed)
        #expect(ring.signer(.es256, at: now) == nil)
        #expect(ring.publicKeys(at: now).count == 1, "what was signed is still verified")
        provider.isAway.store(false, ordering: .relaxed)
        #expect(ring.signer(.es256, at: now) != nil)
    }

    @Test func `of two servers that make a key, the second destroys its own`() async throws {
        let database = try SQLiteDatabase(path: nil)
        defer { database.close() }
        let provider = RemoteKeys()
        let rotation = KeyRotation(
            store: database.stores().keys, secrets: try #require(ServerSecrets([[UInt8](repeating: 1, count: 32)])),
            tokenSecondsMax: 60, provider: provider, ambient: .live)
        async let one = rotation.rotate(.es256)
        async let two = rotation.rotate(.es256)
        let added = try await [one, two].compactMap(\.self).count
        #expect(provider.count == added)
        #expect(try await database.stores().keys.all().count == added)
    }
}

/// Keys in another process, which may be away.
private final class RemoteKeys: SigningKeyProvider {
    let isAway = Atomic(false)
    private let keys = Mutex<[String: SigningKey]>([:])

    var count: Int { keys.withLock { $0.count } }

    func make(_ algorithm: SignatureAlgorithm) throws -> (key: SigningKey, reference: String) {
        let key = try SigningKey.generate(algorithm)
        let reference = "pkcs11:id=\(key.publicKey.thumbprint())"
        keys.withLock { $0[reference] = key }
        return (SigningKey(Signer(keys: self, key: key), algorithm), reference)
    }

    func open(_ reference: String, _ algorithm: SignatureAlgorithm) throws -> SigningKey {
        let key = try #require(keys.withLock { $0[reference] })
        return SigningKey(Signer(keys: self, key: key), algorithm)
    }

    func remove(_ reference: String) throws {
        keys.withLock { $0[reference] = nil }
    }

    private struct Signer: ExternalSigner {
        let keys: RemoteKeys
        let key: SigningKey

        var publicMaterial: JSONWebKey.Material { key.publicKey.material }
        var isReady: Bool { !keys.isAway.load(ordering: .relaxed) }

        func signature(for message: [UInt8], _ algorithm: SignatureAlgorithm) throws -> [UInt8] {
            try key.signature(for: message)
        }
    }
}
