import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("What an earlier release left, in bad conditions")
struct ContainerTakeoverTests {
    private func container(_ world: World, name: String? = nil, clientID: String = FakeService.clientID) -> Keyturn {
        Keyturn(
            .openID(issuer: FakeService.issuer, clientID: clientID), name: name, storage: .custom(world.store),
            browser: FakeBrowser(service: world.service), transport: world.service, ambient: world.clock.ambient)
    }

    @Test func `the made-up name means the same container when it is given`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        let auth = container(world)
        #expect(try await auth.start().isSignedIn)
        let same = container(world, name: auth.name)
        #expect(try await same.start().isSignedIn)
        try await same.logout()
        #expect(await world.store.read("default").isAbsent)
        #expect(try await container(world).start() == .signedOut)
    }

    @Test func `a sign-in while nothing could be read is the last word on what turns up later`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        await world.store.set(readable: false)
        try await container(world).authorize(redirectURI: World.redirectURI)
        await world.store.set()
        let auth = container(world)
        #expect(try await auth.start().isSignedIn)
        try await auth.logout()
        #expect(try await container(world).start() == .signedOut, "the session under default is no longer its own")
        #expect(await world.store.read("default").record != nil)
    }

    @Test func `a session that an earlier release of another program writes there later keeps nobody out`() async throws
    {
        let world = try World()
        _ = try await world.signedIn()
        let auth = container(world)
        #expect(try await auth.start().isSignedIn)
        try await auth.logout()
        // An earlier release of a program of another client, which knows no claims.
        let foreign = SessionRecord(
            generation: Generation(signIn: "other", number: 1),
            client: SessionRecord.Client(.openID(issuer: FakeService.issuer, clientID: "other")), accessToken: "a",
            obtainedAt: world.clock.ambient.now(), expiresAt: nil, refreshToken: "r", idToken: nil,
            scope: Scope(names: ["openid"]))
        _ = try await world.store.write(foreign.stored, for: "default", when: .absent)
        let next = container(world)
        #expect(try await next.start() == .signedOut)
        try await next.authorize(redirectURI: World.redirectURI)
        #expect(try await container(world).start().isSignedIn)
        #expect(try await container(world, clientID: "other").start().isSignedIn, "taken over by its own program")
    }

    @Test func `on a full disk the session is used, and taken over when there is room`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        await world.store.set(writable: false)
        #expect(try await container(world).start().isSignedIn)
        #expect(await world.store.read("default/owner").isAbsent)
        await world.store.set()
        #expect(try await container(world).start().isSignedIn)
        #expect(await world.store.read("default/owner").record != nil)
    }

    @Test func `a sign-in under default goes aside if another container took it over meanwhile`() async throws {
        let world = try World()
        let client = SessionRecord.Client(.openID(issuer: FakeService.issuer, clientID: FakeService.clientID))
        let named = ContainerStore(world.store, name: "default", client: client)
        #expect(await named.read("default").isAbsent)
        _ = try await world.store.write(.claim(of: "p/1"), for: "default/owner", when: .absent)
        try await world.container(storage: .custom(named)).authorize(redirectURI: World.redirectURI)
        #expect(await world.store.read("default").isAbsent)
        #expect(await named.read("default").record != nil)
    }

    @Test func `a claim that cannot be read keeps nobody from signing in, and is not overwritten`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        let (before, claim) = (await world.store.read("default").record, StoredRecord.claim(of: "p/1"))
        _ = try await world.store.write(claim, for: "default/owner", when: .absent)
        let broken = BrokenClaimStore(inner: world.store)
        let client = SessionRecord.Client(.openID(issuer: FakeService.issuer, clientID: FakeService.clientID))
        func named() -> ContainerStore { ContainerStore(broken, name: "default", client: client) }
        guard case .unavailable = await named().read("default") else { return #expect(Bool(false), "it was read") }
        try await world.container(storage: .custom(named())).authorize(redirectURI: World.redirectURI)
        #expect(try await world.container(storage: .custom(named())).start().isSignedIn)
        #expect(await world.store.read("default").record == before, "the owner's session")
        #expect(await world.store.read("default/owner").record == claim)
    }
}

extension StoredRecord {
    fileprivate static func claim(of name: String) -> StoredRecord {
        StoredRecord(generation: Generation(signIn: "owner " + name, number: 1), contents: Array(name.utf8))
    }
}

/// A store whose claim on `default` is damaged.
private struct BrokenClaimStore: SessionStore {
    let inner: FragileStore

    func read(_ container: String) async -> StoreReading {
        guard container != "default/owner" else { return .unavailable(AuthError(.storeUnavailable, "damaged")) }
        return await inner.read(container)
    }
    func write(
        _ record: StoredRecord, for container: String, when condition: StoreCondition
    ) async throws(AuthError) -> StoreOutcome { try await inner.write(record, for: container, when: condition) }
    func remove(_ container: String, when condition: StoreCondition) async throws(AuthError) -> StoreOutcome {
        try await inner.remove(container, when: condition)
    }
    func lock(_ container: String, timeoutSeconds: Int64) async throws(AuthError) -> (any StoreLock)? {
        try await inner.lock(container, timeoutSeconds: timeoutSeconds)
    }
    func changeMark(_ container: String) async -> ChangeMark? { await inner.changeMark(container) }
}
