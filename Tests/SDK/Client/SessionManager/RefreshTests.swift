import Foundation
import KeyturnBase
import Testing

@testable import Keyturn

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("The session manager: renewing")
struct RefreshTests {
    static func managing(_ world: World) async throws -> SessionManager {
        let manager = world.container().sessionManager
        try await manager.storeSession(try await world.tokens())
        return manager
    }

    static func request(_ manager: SessionManager) async throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: Keyturn.api)))
        request.setValue("Basic stale", forHTTPHeaderField: "Authorization")
        try await request.setAuthorizationHTTPHeaderField(from: manager)
        return request
    }

    @Test(arguments: [600, 3_600, 200])
    func `a session is renewed in its last minute and not a second before`(_ lifetime: Int64) async throws {
        let world = try World()
        await world.service.set { $0.lifetimeSeconds = lifetime }
        let manager = try await Self.managing(world)
        let before = manager.session?.accessToken
        world.clock.advance(lifetime - 61)
        #expect(try await !manager.refreshSessionIfNeeded())
        #expect(manager.session?.accessToken == before)
        world.clock.advance(1)
        #expect(try await manager.refreshSessionIfNeeded())
        #expect(manager.session?.accessToken != before)
        #expect(try await !manager.refreshSessionIfNeeded())
        #expect(await world.renewals == 1)
        #expect(try await world.container().sessionManager.loadSession() == manager.session)
    }

    @Test func `tokens that last less than two minutes are renewed half-way`() async throws {
        let world = try World()
        await world.service.set { $0.lifetimeSeconds = 20 }
        let manager = try await Self.managing(world)
        try await manager.refreshSessionIfNeeded()
        let renewals = await world.renewals
        world.clock.advance(9)
        #expect(try await !manager.refreshSessionIfNeeded())
        world.clock.advance(1)
        #expect(try await manager.refreshSessionIfNeeded())
        #expect(await world.renewals == renewals + 1)
    }

    @Test func `a session that is taken up late is renewed at once`() async throws {
        let world = try World()
        let session = try await world.tokens()
        world.clock.advance(550)
        let manager = world.container().sessionManager
        manager.manageSession(session)
        #expect(try await manager.refreshSessionIfNeeded())
        #expect(await world.renewals == 1)
    }

    @Test func `three callers make one call`() async throws {
        let world = try World()
        let manager = try await Self.managing(world)
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .held(gate))
        let callers = (1...3).map { _ in Task { try await manager.refreshSessionIfNeeded() } }
        await gate.someoneArrives()
        await gate.open()
        for caller in callers { _ = try await caller.value }
        #expect(await world.renewals == 1)
        #expect(await world.service.revoked.isEmpty)
    }

    @Test func `managers, containers and other ways to the token make one call together`() async throws {
        let world = try World()
        let auth = world.container()
        try await auth.sessionManager.storeSession(try await world.tokens())
        let (second, other) = (SessionManager(auth), world.container().sessionManager)
        world.clock.advance(600)
        async let first = auth.sessionManager.refreshSessionIfNeeded()
        async let again = second.refreshSessionIfNeeded()
        async let elsewhere = other.refreshSessionIfNeeded()
        async let token = auth.accessToken()
        _ = try await (first, again, elsewhere, token)
        #expect(await world.renewals == 1)
        #expect(try await token == other.session?.accessToken)
    }

    @Test func `where there is nothing to renew nothing happens`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        #expect(try await !manager.refreshSessionIfNeeded())
        let now = world.clock.now
        for session in [
            ManagedSession(accessToken: "alone", expiresAt: now + 10),
            ManagedSession(
                accessToken: "late", refreshToken: ManagedSession.jwt(expiresAt: now), expiresAt: now + 10),
            ManagedSession(accessToken: "unknown", refreshToken: "refresh"),
        ] {
            manager.manageSession(session)
            #expect(try await !manager.refreshSessionIfNeeded())
            #expect(manager.session?.accessToken == session.accessToken)
        }
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `an outage is told and takes nothing`() async throws {
        let world = try World()
        let manager = try await Self.managing(world)
        let before = manager.session
        world.clock.advance(600)
        await world.service.fail("/token", .unreachable, .unreachable, .answer(.init(status: 502)))
        for _ in 1...3 {
            await #expect(throws: AuthError(.unavailable, "")) { try await manager.refreshSessionIfNeeded() }
            #expect(manager.session == before)
            world.clock.advance(60)
        }
        #expect(try await manager.refreshSessionIfNeeded())
    }

    @Test func `a service that failed twice is left alone for a moment`() async throws {
        let world = try World()
        let manager = try await Self.managing(world)
        world.clock.advance(600)
        await world.service.fail("/token", .unreachable, .unreachable)
        for _ in 1...2 {
            await #expect(throws: AuthError(.unavailable, "")) { try await manager.refreshSessionIfNeeded() }
        }
        let asked = await world.renewals
        await #expect(throws: AuthError(.unavailable, "")) { try await manager.refreshSessionIfNeeded() }
        #expect(await world.renewals == asked)
        world.clock.advance(60)
        #expect(try await manager.refreshSessionIfNeeded())
    }

    @Test func `the service's last word ends the session`() async throws {
        let world = try World()
        let manager = try await Self.managing(world)
        let listener = Listener()
        manager.addDelegate(listener)
        await world.service.forgetSession()
        world.clock.advance(600)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await manager.refreshSessionIfNeeded() }
        #expect(manager.session == nil)
        #expect(await listener.next() == "session.ended")
        #expect(try await !manager.refreshSessionIfNeeded())
    }

    @Test func `a late answer revives nobody and touches nobody else`() async throws {
        for next in [nil, ManagedSession(accessToken: "next", refreshToken: "next-refresh")] {
            let world = try World()
            let manager = try await Self.managing(world)
            world.clock.advance(600)
            let gate = Gate()
            await world.service.fail("/token", .answerHeld(gate))
            let caller = Task { try await manager.refreshSessionIfNeeded() }
            await gate.someoneArrives()
            await world.store.set(lockable: false)
            if let next { try await manager.storeSession(next) } else { try await manager.removeSession() }
            await world.store.set()
            await #expect(throws: AuthError(.signedOut, "")) { try await caller.value }
            await gate.open()
            await (try world.store.lock("default", timeoutSeconds: 5))?.unlock()
            #expect(try await manager.loadSession()?.accessToken == next?.accessToken)
            #expect(try await world.container().sessionManager.loadSession()?.accessToken == next?.accessToken)
        }
    }

    @Test func `a request gets the session's token, renewed if need be`() async throws {
        let world = try World()
        let manager = try await Self.managing(world)
        let first = try #require(manager.session?.accessToken)
        #expect(try await Self.request(manager).value(forHTTPHeaderField: "Authorization") == "Bearer " + first)
        world.clock.advance(600)
        let request = try await Self.request(manager)
        #expect(await world.renewals == 1)
        let second = try #require(manager.session?.accessToken)
        #expect(first != second)
        #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer " + second)
    }

    @Test func `a request without a session gets no header`() async throws {
        let manager = try World().container().sessionManager
        #expect(try await Self.request(manager).value(forHTTPHeaderField: "Authorization") == nil)
    }

    @Test func `a token that still serves is sent although it could not be renewed early`() async throws {
        let world = try World()
        let manager = try await Self.managing(world)
        let token = try #require(manager.session?.accessToken)
        world.clock.advance(599)
        await world.service.fail("/token", .unreachable, .unreachable)
        #expect(try await Self.request(manager).value(forHTTPHeaderField: "Authorization") == "Bearer " + token)
        world.clock.advance(1)
        await #expect(throws: AuthError(.unavailable, "")) { try await Self.request(manager) }
    }

    @Test func `a caller that is cancelled cancels its waiting alone`() async throws {
        let world = try World()
        let manager = try await Self.managing(world)
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .held(gate))
        let (impatient, patient) = (
            Task { try await manager.refreshSessionIfNeeded() }, Task { try await manager.refreshSessionIfNeeded() }
        )
        await gate.someoneArrives()
        impatient.cancel()
        await #expect(throws: AuthError(.cancelled, "")) { try await impatient.value }
        await gate.open()
        #expect(try await patient.value)
    }
}
