import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Keys of users who were cleared")
struct KeyRemovalTests {
    @Test func `with the password a locked user's key is removed at once`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        #expect(try await auth.vault.clear("andy", password: "1234"))
        #expect(await world.keys.keys.isEmpty)
        #expect(try await auth.vault.users.isEmpty)
    }

    @Test func `a wrong password removes nothing, and counts`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        await #expect(throws: AuthError.code(.vaultWrongPassword)) {
            try await auth.vault.clear("andy", password: "0000")
        }
        #expect(try await auth.vault.users == ["andy"])
        #expect(await world.keys.keys.values.map(\.failures) == [1])
    }

    @Test func `a key that stays is remembered, and removed when its user stores a session again`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        #expect(try await auth.vault.clear("andy") == false)
        #expect(await world.keys.keys.count == 1)
        #expect(try await auth.vault.users.isEmpty)
        let old = try #require(await world.keys.keys.keys.first)
        // Somebody else's sign-in removes nothing of Andy's.
        try await world.stored("bert", password: "2222")
        #expect(await world.keys.keys[old] != nil)
        let next = world.container()
        try await world.stored("andy", password: "3333", in: next)
        #expect(await world.keys.keys[old] == nil)
        #expect(await world.keys.keys.count == 2)
        #expect(await VaultRecords(store: world.store, container: "default", ambient: .live).removals().isEmpty)
    }

    @Test func `a key that is still in use when its removal is tried again stays, and opens what it opened`()
        async throws
    {
        let world = try VaultWorld()
        let auth = try await world.locked()
        let key = try #require(await world.keys.keys.keys.first)
        // The process ended between writing down what it would do and doing it.
        let records = VaultRecords(store: world.store, container: "default", ambient: .live)
        try await records.remember(.init(keyID: key, user: "andy"))
        for _ in 0..<2 {
            try await auth.vault.unlock("andy", password: "1234")
            try await auth.vault.lock()
        }
        #expect(await world.keys.keys[key] != nil)
        #expect(await records.removals().isEmpty)
    }

    @Test func `a removal that fails is tried again`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        let old = try #require(await world.keys.keys.keys.first)
        await world.keys.fail("keys/" + old, .unreachable, .unreachable)
        #expect(try await auth.vault.clear("andy") == false)
        try await world.stored("andy", password: "3333", in: auth)
        #expect(await world.keys.keys[old] != nil)
        try await auth.vault.lock()
        try await auth.vault.unlock("andy", password: "3333")
        #expect(await world.keys.keys[old] == nil)
    }

    @Test func `a key service without owners says that the key stays, and nothing is remembered`() async throws {
        let world = try VaultWorld.tim()
        let auth = try await world.locked()
        #expect(try await auth.vault.clear("andy") == false)
        #expect(await VaultRecords(store: world.store, container: "default", ambient: .live).removals().isEmpty)
        #expect(await world.keys.keys.count == 1)
    }

    @Test func `no more than so many keys are remembered`() async throws {
        let records = VaultRecords(store: MemoryStore(), container: "c", ambient: .live)
        for index in 0...Limits.keyRemovalsMax {
            try await records.remember(.init(keyID: "k\(index)", user: "u"))
        }
        let removals = await records.removals()
        #expect(removals.count == Limits.keyRemovalsMax && removals.first?.keyID == "k1")
    }
}
