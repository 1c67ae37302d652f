import KeyturnBase
import Testing

@testable import Keyturn

@Suite("The session manager: who listens, and who decides", .timeLimit(.minutes(5)))
struct DelegateTests {
    @MainActor
    final class Screen: SessionManagerDelegate {
        var name: String?

        func sessionManagerDidUpdateUser(_ manager: SessionManager, session: ManagedSession) {
            name = session.userClaims["name"]?.stringValue
        }
    }

    @Test func `delegates hear of what replaces a session, and not of beginnings and ends`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        let listener = Listener()
        manager.addDelegate(listener)
        manager.addDelegate(listener)
        let session = try await world.tokens()
        manager.manageSession(session)
        manager.manageSession(session)
        manager.clearSession()
        manager.manageSession(ManagedSession(accessToken: "a", userClaims: ["name": "A"]))
        manager.manageSession(ManagedSession(accessToken: "a", userClaims: ["name": "B"]))
        manager.manageSession(ManagedSession(accessToken: "b", userClaims: ["name": "B"]))
        manager.manageSession(ManagedSession(accessToken: "c", userClaims: ["name": "C"]))
        manager.updateUser(with: ["name": "D"])
        for word in ["user B", "tokens b", "tokens c", "user C", "user D"] { #expect(await listener.next() == word) }
        #expect(listener.told.withLock { $0.count } == 5)
    }

    @Test func `a renewal that another way began is heard of too`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let listener = Listener()
        auth.sessionManager.addDelegate(listener)
        let token = try await auth.forceRefresh()
        #expect(await listener.next() == "tokens " + token)
    }

    @Test func `who was removed, or is gone, hears nothing`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        let (removed, last) = (Listener(), Listener())
        weak var forgotten: Listener?
        do {
            let listener = Listener()
            forgotten = listener
            manager.addDelegate(listener)
        }
        #expect(forgotten == nil)
        manager.addDelegate(removed)
        manager.addDelegate(last)
        manager.removeDelegate(removed)
        try await manager.storeSession(ManagedSession(accessToken: "a"))
        try await manager.storeSession(ManagedSession(accessToken: "b"))
        #expect(await last.next() == "tokens b")
        #expect(removed.told.withLock { $0.isEmpty })
    }

    @Test @MainActor func `a screen hears on the main actor`() async throws {
        let world = try World()
        let manager = world.container().sessionManager
        let screen = Screen()
        manager.addDelegate(screen)
        manager.manageSession(ManagedSession(accessToken: "a", userClaims: ["name": "A"]))
        manager.updateUser(with: ["name": "B"])
        #expect(await eventually { await screen.name == "B" })
    }

    /// Gets its tokens from the app's own backend.
    struct Backend: SessionLifecycle {
        let periodicRefreshSeconds: Int64 = 0
        let answers: Locked<[Result<ManagedSession, AuthError>]>
        let calls = Locked(0)

        func needsRefresh(_ session: ManagedSession, remainingSeconds: Int64?) -> Bool { remainingSeconds ?? 0 <= 300 }

        func refresh(_ session: ManagedSession) async throws(AuthError) -> ManagedSession? {
            calls.withLock { $0 += 1 }
            return try answers.withLock { $0.removeFirst() }.get()
        }
    }

    @Test func `a lifecycle of the app's own says when, and renews`() async throws {
        let world = try World()
        let auth = world.container()
        let manager = auth.sessionManager
        let now = world.clock.now
        let session = ManagedSession(
            accessToken: "a", refreshToken: "r", expiresAt: now + 600, userClaims: ["sub": "x"])
        let renewed = ManagedSession(accessToken: "b", expiresAt: now + 900)
        let backend = Backend(
            answers: Locked([
                .success(renewed), .failure(AuthError(.unavailable, "down")), .success(renewed),
                .failure(AuthError(.sessionEnded, "gone")),
            ]))
        manager.lifecycle = backend
        manager.manageSession(session)
        world.clock.advance(299)
        #expect(try await !manager.refreshSessionIfNeeded())
        world.clock.advance(1)
        #expect(try await manager.refreshSessionIfNeeded())
        #expect(manager.session?.accessToken == "b")
        #expect(manager.session?.refreshToken == "r")
        #expect(manager.session?.expiresAt == now + 900)
        #expect(manager.session?.userClaims == ["sub": "x"])
        world.clock.advance(600)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        #expect(try await auth.accessToken() == "b")
        await #expect(throws: AuthError(.sessionEnded, "")) { try await manager.refreshSessionIfNeeded() }
        #expect(manager.session == nil)
        #expect(backend.calls.withLock { $0 } == 4)
        #expect(await world.service.requests.isEmpty)
    }
}
