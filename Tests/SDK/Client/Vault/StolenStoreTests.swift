import Crypto
import Foundation
import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("A store that was stolen")
struct StolenStoreTests {
    /// Everything that the folder holds, opened as far as the folder itself goes: its files, and what the keys in it open.
    private func plunder(_ folder: TemporaryDirectory, _ store: SealedFileStore, _ places: [String]) async throws
        -> [[UInt8]]
    {
        var found: [[UInt8]] = []
        for name in folder.contents {
            if let bytes = try? folder.read(name) { found.append(bytes) }
        }
        for place in places {
            if let record = await store.read(place).record { found.append(record.contents) }
        }
        return found
    }

    private func holds(_ haystack: [UInt8], _ needle: String) -> Bool {
        haystack.firstRange(of: Array(needle.utf8)) != nil
    }

    @Test func `a locked vault gives away no token and no data to whoever has every file of it`() async throws {
        let folder = try TemporaryDirectory()
        let store = SealedFileStore(folder.locations, ambient: .live)
        let world = try VaultWorld()
        let auth = world.container(storage: .custom(store))
        try await world.stored("andy", password: "482913", in: auth)
        let note = "the word behind the mirror"
        try await auth.vault.put(Array(note.utf8), named: "note")
        try await auth.forceRefresh()
        let refreshToken = try #require(await world.provider.refreshToken)
        let accessToken = try await auth.accessToken()
        // `eyJ` alone, with which any JWT begins, stands in random text once in a while.
        let secrets = [refreshToken, accessToken, note, "482913", "eyJhbGciOi", "eyJ0eXAiOi", "eyJraWQiOi"]
        let records = VaultRecords(store: store, container: "default", ambient: .live)
        let places = ["default", "default/vault", records.place("andy"), "default/vault-open", "default/device-key"]
        // While it is unlocked for other processes the key lies there, and this very search finds what it opens.
        try await auth.vault.keepUnlocked()
        let open = try await plunder(folder, store, places)
        #expect(try await decrypted(open, records).contains { holds($0, refreshToken) })
        try await auth.vault.lock()
        let locked = try await plunder(folder, store, places)
        #expect(locked.contains { holds($0, "andy") }, "the record itself was found")
        #expect(try await decrypted(locked, records).isEmpty)
        for secret in secrets { #expect(!locked.contains { holds($0, secret) }) }
        // With the service it opens, which shows that it was all there.
        try await auth.vault.unlock("andy", password: "482913")
        #expect(try await auth.vault.data(named: "note") == Array(note.utf8))
    }

    /// Tries every 16, 24 and 32 bytes in what was found, in all its spellings, as the key of what is sealed; and the
    /// hashes of every PIN of six digits that begins with 48.
    private func decrypted(_ found: [[UInt8]], _ records: VaultRecords) async throws -> [[UInt8]] {
        guard let record = try await records.find("andy")?.record else { return [] }
        var candidates: Set<[UInt8]> = []
        for bytes in found {
            for value in strings(bytes) + [bytes] {
                for count in [16, 24, 32] where value.count >= count {
                    for start in 0...(min(value.count, 4_096) - count) {
                        candidates.insert(Array(value[start..<(start + count)]))
                    }
                }
            }
        }
        for pin in 480_000..<490_000 { candidates.insert(Array(SHA256.hash(data: Array(String(pin).utf8)))) }
        var opened: [[UInt8]] = []
        for key in candidates.compactMap({ DataKey(bytes: $0) }) {
            if let session = try? record.openSession(key) { opened.append(session.contents) }
            for name in record.items.keys {
                if let item = try? record.openItem(name, key) { opened.append(item) }
            }
        }
        return opened
    }

    /// Every text of JSON in it, decoded from base64url where it is that.
    private func strings(_ bytes: [UInt8]) -> [[UInt8]] {
        String(decoding: bytes, as: UTF8.self).split { $0 == "\"" }.compactMap { Base64URL.decode($0) }
    }
}
