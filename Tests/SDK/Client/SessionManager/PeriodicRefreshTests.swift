import KeyturnBase
import Testing

@testable import Keyturn

@Suite("The session manager: periodic refresh", .timeLimit(.minutes(5)))
struct PeriodicRefreshTests {
    let world: World
    let pauses = Pauses()

    init() throws {
        world = try World()
    }

    func manager(
        _ container: Keyturn? = nil, lifecycle: any SessionLifecycle = StandardLifecycle()
    ) async throws -> SessionManager {
        let manager = SessionManager(container ?? world.container(), lifecycle: lifecycle) { [pauses] in
            try await pauses.pause($0)
        }
        try await manager.loadSession()
        return manager
    }

    @Test func `it looks every half minute, and renews when it is time`() async throws {
        let manager = try await manager()
        try await manager.storeSession(try await world.tokens())
        let listener = Listener()
        manager.addDelegate(listener)
        for _ in 1...17 {
            #expect(await pauses.someonePauses() == 30)
            world.clock.advance(30)
            await pauses.end()
        }
        _ = await pauses.someonePauses()
        #expect(await world.renewals == 0)
        world.clock.advance(30)
        await pauses.end()
        let token = try #require(await listener.next())
        #expect(token == "tokens " + (manager.session?.accessToken ?? ""))
        #expect(await world.renewals == 1)
        #expect(await pauses.someonePauses() == 30)
    }

    @Test func `it runs only while there is a session that can be renewed`() async throws {
        let manager = try await manager()
        #expect(await eventually { !manager.periodic.isRunning })
        try await manager.storeSession(ManagedSession(accessToken: "alone"))
        #expect(await eventually { !manager.periodic.isRunning })
        try await manager.storeSession(try await world.tokens())
        #expect(await pauses.someonePauses() == 30)
        try await manager.removeSession()
        #expect(await eventually { !manager.periodic.isRunning })
        #expect(await eventually { await pauses.sleeping == 0 })
    }

    @Test func `no network stops it`() async throws {
        let manager = try await manager()
        try await manager.storeSession(try await world.tokens())
        let listener = Listener()
        manager.addDelegate(listener)
        world.clock.advance(600)
        await world.service.fail(
            "/token", .unreachable, .answer(.init(status: 503)), .answer(.init(status: 200, body: Array("hotel".utf8))))
        for _ in 1...3 {
            await pauses.end()
            // The try has failed by now: how long it is left alone is counted from here.
            #expect(await pauses.someonePauses() == 30)
            world.clock.advance(30)
        }
        await pauses.end()
        #expect(await listener.next()?.hasPrefix("tokens") == true)
        #expect(await pauses.someonePauses() == 30)
    }

    @Test func `a definite refusal pauses it until the session changes`() async throws {
        let manager = try await manager()
        try await manager.storeSession(try await world.tokens())
        world.clock.advance(600)
        await world.service.fail("/token", .answer(FakeService.json(["error": "invalid_client"], status: 401)))
        await pauses.end()
        #expect(await eventually { !manager.periodic.isRunning })
        #expect(manager.session != nil)
        let asked = await world.service.count("/token")
        manager.updateUser(with: ["name": "Andrew"])
        try await manager.loadSession()
        #expect(!manager.periodic.isRunning)
        try await manager.storeSession(try await world.tokens())
        #expect(await pauses.someonePauses() == 30)
        // The sign-in, and nothing else.
        #expect(await world.service.count("/token") == asked + 1)
    }

    @Test func `the end of the session ends it`() async throws {
        let manager = try await manager()
        try await manager.storeSession(try await world.tokens())
        await world.service.forgetSession()
        world.clock.advance(600)
        await pauses.end()
        #expect(await eventually { manager.session == nil && !manager.periodic.isRunning })
    }

    @Test func `it can be slower, and off, and on again`() async throws {
        let manager = try await manager(lifecycle: StandardLifecycle(periodicRefreshSeconds: 0))
        try await manager.storeSession(try await world.tokens())
        try await manager.loadSession()
        #expect(!manager.periodic.isRunning)
        manager.lifecycle = StandardLifecycle(periodicRefreshSeconds: 90)
        #expect(await pauses.someonePauses() == 90)
        manager.lifecycle = StandardLifecycle(periodicRefreshSeconds: 5)
        #expect(await eventually { await (pauses.begun, pauses.sleeping) == (2, 1) })
        #expect(await pauses.someonePauses() == 5)
        manager.lifecycle = StandardLifecycle(periodicRefreshSeconds: 0)
        #expect(await eventually { await pauses.sleeping == 0 })
        #expect(!manager.periodic.isRunning)
    }

    @Test func `it keeps neither manager nor container alive`() async throws {
        weak var container: Keyturn?
        weak var released: SessionManager?
        do {
            let auth = world.container()
            let manager = try await manager(auth)
            try await auth.sessionManager.storeSession(try await world.tokens())
            _ = await pauses.someonePauses()
            (container, released) = (auth, manager)
        }
        #expect(container == nil)
        #expect(released == nil)
        #expect(await eventually { await pauses.sleeping == 0 })
    }

    @Test func `it looks for a session as long as the store cannot be read`() async throws {
        try await world.container().sessionManager.storeSession(try await world.tokens())
        await world.store.set(readable: false)
        let manager = SessionManager(world.container()) { [pauses] in try await pauses.pause($0) }
        _ = await pauses.someonePauses()
        #expect(manager.session == nil)
        await pauses.end()
        _ = await pauses.someonePauses()
        await world.store.set()
        await pauses.end()
        #expect(await eventually { manager.session != nil })
    }
}
