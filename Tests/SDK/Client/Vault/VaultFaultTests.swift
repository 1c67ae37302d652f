import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("A vault when things go wrong")
struct VaultFaultTests {
    @Test func `a renewal that began before the lock is finished into the vault`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        let (answering, locking) = (Gate(), Gate())
        await world.provider.fail("/token", .answerHeld(answering))
        let caller = Task { try await auth.forceRefresh() }
        await answering.someoneArrives()
        let before = try #require(await world.provider.refreshToken)
        try await auth.vault.lock()
        await #expect(throws: AuthError.code(.vaultLocked)) { try await caller.value }
        #expect(await auth.state == .signedOut)
        try await auth.vault.unlock("andy", password: "1234")
        // The next renewal waits for it, as one renewal waits for another.
        await world.store.holdBeforeLocking(locking)
        let next = Task { try await auth.forceRefresh() }
        await locking.someoneArrives()
        await answering.open()
        await locking.open()
        _ = try await next.value
        #expect(try await auth.fetchAPI() == 200)
        #expect(await auth.keeper.machine.record?.refreshToken == before)
        #expect(await world.provider.revoked.isEmpty)
        #expect(await world.provider.count("/token") == 2)
    }

    @Test func `a renewal that is finished after the lock is told to nobody`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        let (asking, writing) = (Gate(), Gate())
        await world.provider.fail("/token", .answerHeld(asking))
        let caller = Task { try await auth.forceRefresh() }
        await asking.someoneArrives()
        try await auth.vault.lock()
        await world.store.holdAfterWriting(writing)
        await asking.open()
        await writing.someoneArrives()
        await writing.open()
        _ = await caller.result
        world.clock.advance(1)
        #expect(await auth.state == .signedOut)
        #expect(auth.cachedAccessToken() == nil)
        let newest = await world.provider.refreshToken
        #expect(try await auth.vault.refreshToken("andy", password: "1234")?.exposed() == newest)
    }

    @Test func `a session that is stored while it is renewed is stored after that`() async throws {
        let world = try VaultWorld()
        let auth = world.container()
        try await auth.authorize(redirectURI: World.redirectURI)
        let gate = Gate()
        await world.provider.fail("/token", .answerHeld(gate))
        let caller = Task { try await auth.forceRefresh() }
        await gate.someoneArrives()
        let storing = Task { try await auth.vault.store(newPassword: "1234") }
        while await world.keys.count("createkey") == 0 { await Task.yield() }
        await gate.open()
        let token = try await caller.value
        _ = try await storing.value
        #expect(try await auth.accessToken() == token)
        #expect(await world.provider.revoked.isEmpty)
        #expect(await world.store.read("default").isAbsent)
        try await auth.vault.lock()
        try await auth.vault.unlock("andy", password: "1234")
        #expect(try await auth.accessToken() == token)
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `two processes with one unlocked session renew it once, and see what the other did`() async throws {
        let world = try VaultWorld()
        let first = try await world.stored()
        let second = world.container()
        try await second.vault.unlock("andy", password: "1234")
        world.clock.advance(600)
        async let one = first.accessToken()
        async let two = second.accessToken()
        #expect(try await one == two)
        #expect(await world.provider.count("/token") == 2)
        try await second.vault.put([1], named: "a")
        try await first.forceRefresh()
        world.clock.advance(1)
        #expect(try await second.accessToken() == first.accessToken())
        #expect(try await first.vault.data(named: "a") == [1])
        // One of them signs out: the other notices.
        try await first.logout()
        world.clock.advance(1)
        await #expect(throws: AuthError.code(.signedOut)) { try await second.accessToken() }
    }

    @Test func `a key that another process changed is no end of a session, and revokes nothing`() async throws {
        let world = try VaultWorld(isOurs: false)
        let first = try await world.stored()
        let second = world.container()
        try await second.vault.unlock("andy", password: "1234")
        try await second.vault.changePassword("andy", from: "1234", to: "5678")
        await #expect(throws: AuthError.code(.vaultLocked)) { try await first.forceRefresh() }
        await #expect(throws: AuthError.code(.vaultLocked)) { try await first.vault.put([1], named: "a") }
        #expect(await first.state.isSignedIn)
        #expect(await world.provider.revoked.isEmpty)
        try await second.forceRefresh()
        try await first.vault.unlock("andy", password: "5678")
        #expect(try await first.accessToken() == second.accessToken())
    }

    @Test func `a full disk stores nothing and loses nothing`() async throws {
        let world = try VaultWorld()
        let auth = world.container()
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.store.set(writable: false)
        await #expect(throws: AuthError.code(.storeUnavailable)) { try await auth.vault.store(newPassword: "1234") }
        await world.store.set()
        #expect(await world.store.read("default").record != nil)
        #expect(try await auth.vault.users.isEmpty)
        // The key that nobody would ever use again is gone as well.
        #expect(await world.keys.keys.isEmpty)
        #expect(try await auth.fetchAPI() == 200)
        try await auth.vault.store(newPassword: "1234")
        await world.store.set(writable: false)
        let token = try await auth.accessToken()
        await #expect(throws: AuthError.code(.storeUnavailable)) { try await auth.forceRefresh() }
        #expect(try await auth.accessToken() == token)
    }

    @Test func `whenever the program ends while it stores, the session is where it was or in the vault`() async throws {
        // The writes of a store: list, record, removal. After each of them the program may end.
        for steps in 0...3 {
            let world = try VaultWorld()
            let dying = DyingStore(inner: world.store)
            let auth = world.container(storage: .custom(dying))
            try await auth.authorize(redirectURI: World.redirectURI)
            await dying.live(steps)
            _ = try? await auth.vault.store(newPassword: "1234")
            let after = world.container()
            let isPlain = try await after.start().isSignedIn
            let isSealed = try await after.vault.hasStoredSession("andy")
            #expect(isPlain == (steps < 3) && isSealed == (steps >= 2))
            if isPlain { try await after.forceRefresh() }
            if isSealed, await !world.keys.keys.isEmpty {
                // Both have it: the newer one counts, and the older is not used any more.
                try await after.vault.unlock("andy", password: "1234")
                #expect(await world.store.read("default").isAbsent)
            }
            #expect(try await after.forceRefresh() == after.accessToken())
            #expect(try await after.fetchAPI() == 200)
            #expect(await world.provider.revoked.isEmpty)
        }
    }

    @Test func `what was changed in the store is damage, and never another session`() async throws {
        let world = try VaultWorld()
        await world.provider.set { $0.parallel = [:] }
        let auth = try await world.locked("andy", password: "1111")
        try await world.locked("bert", password: "2222")
        let records = VaultRecords(store: world.store, container: "default", ambient: world.clock.ambient)
        let berts = try #require(try await records.find("bert")?.record.session)
        try await records.update("andy") { (record) throws(AuthError) in
            var next = record
            next?.session = berts
            return next
        }
        await #expect(throws: AuthError.code(.vaultDamaged)) { try await auth.vault.unlock("andy", password: "1111") }
        // A record under another user's name is none.
        let stored = try #require(await world.store.read(records.place("bert")).record)
        _ = try await world.store.write(stored, for: records.place("andy"), when: .always)
        await #expect(throws: AuthError.code(.storeUnavailable)) {
            try await auth.vault.unlock("andy", password: "1111")
        }
        #expect(await auth.state == .signedOut)
        // It can still be got rid of.
        try await auth.vault.clear("andy")
        #expect(try await auth.vault.users == ["bert"])
    }

    @Test func `the key that stays from process to process goes with the lock`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        try await auth.vault.keepUnlocked()
        try await auth.forceRefresh()
        let next = world.container()
        #expect(try await next.vault.resume())
        #expect(try await next.accessToken() == auth.accessToken())
        #expect(await world.store.read("default").isAbsent)
        #expect(await world.keys.count("key") == 0)
        try await next.vault.lock()
        #expect(try await world.container().vault.resume() == false)
        try await next.vault.unlock("andy", password: "1234")
        try await next.vault.keepUnlocked()
        // Whoever signs in since then is not replaced by what lay open.
        try await next.authorize(redirectURI: World.redirectURI)
        let signIn = await next.keeper.machine.record?.generation.signIn
        let later = world.container()
        #expect(try await later.vault.resume() == false)
        try await later.start()
        #expect(await later.keeper.machine.record?.generation.signIn == signIn)
        try await next.vault.unlock("andy", password: "1234")
        try await next.vault.keepUnlocked()
        try await next.vault.clear("andy")
        #expect(try await world.container().vault.resume() == false)
        #expect(await world.store.read("default/vault-open").isAbsent)
    }
}

/// A store whose program ends after a number of changes: nothing is changed any more, and nothing is answered but errors.
actor DyingStore: SessionStore {
    private let inner: FragileStore
    private var left: Int?

    init(inner: FragileStore) {
        self.inner = inner
    }

    /// The number of changes from now on.
    func live(_ changes: Int) {
        left = changes
    }

    private func count() throws(AuthError) {
        guard let left else { return }
        guard left > 0 else { throw AuthError(.storeUnavailable, "dead") }
        self.left = left - 1
    }

    func read(_ container: String) async -> StoreReading { await inner.read(container) }

    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome {
        try count()
        return try await inner.write(record, for: container, when: condition)
    }

    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        try count()
        return try await inner.remove(container, when: condition)
    }

    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        try await inner.lock(container, timeoutSeconds: timeoutSeconds)
    }

    func changeMark(_ container: String) async -> ChangeMark? { await inner.changeMark(container) }
}
