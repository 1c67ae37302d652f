import KeyturnBase
import Testing

@testable import Keyturn

@Suite("The session manager: taking up and giving up")
struct SessionManagerTests {
    @Test func `a container has one manager`() throws {
        let world = try World()
        let auth = world.container()
        #expect(auth.sessionManager === auth.sessionManager)
        #expect(world.container().sessionManager !== auth.sessionManager)
        #expect(auth.sessionManager.session == nil)
    }

    @Test func `a managed session is at hand at once and durable soon`() async throws {
        let world = try World()
        let session = try await world.tokens()
        let auth = world.container()
        auth.sessionManager.manageSession(session)
        #expect(auth.sessionManager.session == session)
        try await auth.sessionManager.loadSession()
        let later = try #require(try await world.container().sessionManager.loadSession())
        #expect(later.accessToken == session.accessToken)
        #expect(later.refreshToken == session.refreshToken)
        #expect(later.expiresAt == session.expiresAt)
        #expect(later.userClaims == ["sub": "andy", "name": "Andy"])
        #expect(try await auth.accessToken() == session.accessToken)
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a browser's sign-in is the manager's session, and a managed one is the container's`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let session = try #require(auth.sessionManager.session)
        #expect(try await auth.accessToken() == session.accessToken)
        #expect(session.subject == "andy")
        #expect(session.idToken?.subject == "andy")
        try await auth.forceRefresh()
        #expect(auth.sessionManager.session?.accessToken != session.accessToken)
        try await auth.logout()
        #expect(auth.sessionManager.session == nil)
    }

    @Test func `what was asked for is done in order`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        for number in 1...20 {
            manager.manageSession(ManagedSession(accessToken: "access-\(number)"))
            if number % 3 == 0 { manager.clearSession() }
            #expect(manager.session?.accessToken == (number % 3 == 0 ? nil : "access-\(number)"))
        }
        try await manager.loadSession()
        #expect(manager.session?.accessToken == "access-20")
        #expect(try await world.container().sessionManager.loadSession()?.accessToken == "access-20")
        manager.manageSession(ManagedSession(accessToken: "access-21"))
        manager.clearSession()
        #expect(try await manager.loadSession() == nil)
        #expect(try await world.container().sessionManager.loadSession() == nil)
    }

    @Test func `a session that cannot be stored is not taken up, and delegates hear of it`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        let listener = Listener()
        manager.addDelegate(listener)
        let session = try await world.tokens()
        try await manager.storeSession(session)
        await world.store.set(writable: false)
        manager.manageSession(ManagedSession(accessToken: "another"))
        #expect(await listener.next() == "store.unavailable")
        #expect(manager.session?.accessToken == session.accessToken)
        await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await manager.storeSession(ManagedSession(accessToken: "another"))
        }
    }

    @Test func `clearing forgets here and tells no server`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        try await manager.storeSession(try await world.tokens())
        let asked = await world.service.requests.count
        manager.clearSession()
        #expect(manager.session == nil)
        #expect(try await manager.loadSession() == nil)
        #expect(await world.service.requests.count == asked)
        #expect(try await world.container().start() == .signedOut)
        try await manager.removeSession()
    }

    @Test func `clearing what cannot be removed forgets it and says so`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        try await manager.storeSession(try await world.tokens())
        await world.store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await manager.removeSession() }
        #expect(manager.session == nil)
        await world.store.set()
        #expect(try await manager.loadSession() == nil)
    }

    @Test func `the same tokens once more are the same session`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let manager = auth.sessionManager
        let before = try #require(await auth.keeper.machine.record)
        try await manager.storeSession(try #require(manager.session))
        #expect(await auth.keeper.machine.record == before)
        manager.updateUser(with: ["sub": "andy", "name": "Andrew"])
        #expect(manager.session?.userClaims["name"] == "Andrew")
        try await manager.loadSession()
        let after = try #require(await auth.keeper.machine.record)
        #expect(after.generation == before.generation.next)
        #expect(after.idToken == before.idToken)
        try await auth.forceRefresh()
        #expect(manager.session?.userClaims["name"] == "Andrew")
        #expect(try await world.container().sessionManager.loadSession()?.userClaims["name"] == "Andrew")
    }

    @Test func `what the ID token says is not stored twice, and comes back with the session`() async throws {
        let world = try World()
        let elsewhere = world.container(storage: .memory)
        try await elsewhere.authorize(redirectURI: World.redirectURI)
        let session = try #require(elsewhere.sessionManager.session)
        let auth = world.container()
        try await auth.sessionManager.storeSession(session)
        #expect(await auth.keeper.machine.record?.userClaims == nil)
        #expect(auth.sessionManager.session?.userClaims == session.userClaims)
        #expect(await auth.idToken == session.idToken)
        auth.sessionManager.updateUser(with: ["name": "Andrew"])
        auth.sessionManager.updateUser(with: session.userClaims)
        try await auth.sessionManager.loadSession()
        #expect(await auth.keeper.machine.record?.userClaims == nil)
    }

    @Test func `what is known about one person is not stored with another's session`() async throws {
        let world = try World()
        let (first, second) = (world.container().sessionManager, world.container().sessionManager)
        try await first.storeSession(ManagedSession(accessToken: "a", refreshToken: "r", userClaims: ["name": "A"]))
        try await second.storeSession(ManagedSession(accessToken: "b", refreshToken: "s", userClaims: ["name": "B"]))
        let listener = Listener()
        first.addDelegate(listener)
        world.clock.advance(1)
        first.updateUser(with: ["name": "Andrew"])
        let session = try await first.loadSession()
        #expect(session?.accessToken == "b")
        #expect(session?.userClaims["name"] == "B")
        #expect(listener.told.withLock { !$0.contains("user Andrew") })
    }

    @Test func `an unreadable store is not an empty one`() async throws {
        let world = try World()
        try await world.container().sessionManager.storeSession(try await world.tokens())
        await world.store.set(readable: false)
        let manager = world.container().sessionManager
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await manager.loadSession() }
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await manager.refreshSessionIfNeeded() }
        await world.store.set()
        #expect(try await manager.loadSession() != nil)
    }

    @Test func `storage that fails is unavailable, not empty`() async throws {
        let world = try World()
        let cache = Shelf()
        let storage = SessionStorage.simple(cache)
        try await world.container(storage: storage).sessionManager.storeSession(try await world.tokens())
        cache.isBroken = true
        let manager = world.container(storage: storage).sessionManager
        #expect(manager.session == nil)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await manager.loadSession() }
        cache.isBroken = false
        #expect(try await manager.loadSession() != nil)
        try cache.saveSession(Array("something else".utf8), named: "default")
        await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await world.container(storage: storage).sessionManager.loadSession()
        }
    }
}
