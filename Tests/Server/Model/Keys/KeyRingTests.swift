import KeyturnBase
import KeyturnJose
import Model
import Synchronization
import Testing

@Suite("The signing keys of a server, in memory")
struct KeyRingTests {
    @Test func `a reading that began before a key was dropped and ends later does not bring it back`() async throws {
        let store = DelayedKeys()
        let secrets = try #require(ServerSecrets([[UInt8](repeating: 1, count: 32)]))
        let ring = KeyRing(store: store, secrets: secrets, tokenSecondsMax: 60, ambient: .live)
        let keyID = try #require(try await ring.maintain([.es256]).first)
        let now = Ambient.live.now()
        #expect(ring.verificationKey(keyID, at: now) != nil)

        store.delayNextReading()
        async let earlier: Void = ring.reload()
        await store.waitUntilReadingIsDelayed()
        let rotation = KeyRotation(store: store, secrets: secrets, tokenSecondsMax: 60, ambient: .live)
        let next = try #require(try await rotation.drop(keyID))
        try await ring.reload()
        #expect(ring.verificationKey(keyID, at: now) == nil)

        store.endDelay()
        try await earlier
        #expect(ring.verificationKey(keyID, at: now) == nil, "a dropped key stays dropped")
        #expect(ring.verificationKey(next.keyID, at: now) != nil)
        #expect(ring.publicKeys(at: now).map { $0.thumbprint() } == [next.keyID])
        #expect(ring.signer(.es256, at: Ambient.live.now())?.accessToken != nil)
    }
}

/// Keys whose next reading can be delayed: it then tells what was there when it began.
private final class DelayedKeys: KeyStore {
    private struct State: Sendable {
        var keys: [StoredKey] = []
        var delaysNext = false
    }

    private let state = Mutex(State())
    private let begun = AsyncStream.makeStream(of: Void.self)
    private let ended = AsyncStream.makeStream(of: Void.self)

    func delayNextReading() { state.withLock { $0.delaysNext = true } }
    func endDelay() { ended.continuation.yield() }

    func waitUntilReadingIsDelayed() async {
        for await _ in begun.stream { return }
    }

    func all() async throws(StoreError) -> [StoredKey] {
        let (keys, isDelayed) = state.withLock { state in
            defer { state.delaysNext = false }
            return (state.keys, state.delaysNext)
        }
        guard isDelayed else { return keys }
        begun.continuation.yield()
        for await _ in ended.stream { break }
        return keys
    }

    func add(_ key: StoredKey) async throws(StoreError) -> Bool {
        state.withLock { $0.keys.append(key) }
        return true
    }

    func schedule(_ keyID: String, retiresAt: UnixTime, removedAt: UnixTime) async throws(StoreError) {
        state.withLock { state in
            state.keys = state.keys.map { key in
                guard key.keyID == keyID else { return key }
                return StoredKey(
                    keyID: key.keyID, algorithm: key.algorithm, sealedPrivateKey: key.sealedPrivateKey,
                    createdAt: key.createdAt, activatesAt: key.activatesAt, retiresAt: retiresAt, removedAt: removedAt)
            }
        }
    }

    func removeExpired(at now: UnixTime) async throws(StoreError) {
        state.withLock { $0.keys.removeAll { $0.removedAt <= now } }
    }
}
