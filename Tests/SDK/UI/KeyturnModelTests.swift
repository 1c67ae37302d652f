import Keyturn
import KeyturnBase
import ServerTesting
import KeyturnUI
import Model
import Observation
import Testing

@Suite("The model that views show")
@MainActor struct KeyturnModelTests {
    @Test func `loads, and then says that no user is signed in`() async throws {
        let world = try await ModelWorld()
        let model = KeyturnModel(world.container())
        #expect(model.state == .loading)
        await model.start()
        #expect(model.state == .signedOut)
        #expect(model.end == nil)
        await world.server.stop()
    }

    @Test func `follows a sign-in and a sign-out`() async throws {
        let world = try await ModelWorld()
        let (auth, model) = try await world.signedIn()
        #expect(model.state.user?.subject == TestServer.subject.rawValue)
        #expect("\(String(describing: model.state.user))\(String(reflecting: model.state))".contains("1111") == false)
        try await auth.logout()
        try await model.waits { $0.state == .signedOut }
        #expect(model.end == nil)
        await world.server.stop()
    }

    @Test func `finds a stored session before any network is asked`() async throws {
        let world = try await ModelWorld()
        _ = try await world.signedIn()
        await world.server.stop()
        let later = KeyturnModel(world.container())
        await later.start()
        #expect(later.state.user?.subject == TestServer.subject.rawValue)
    }

    @Test func `joins a container that was started before`() async throws {
        let world = try await ModelWorld()
        let (auth, first) = try await world.signedIn()
        let second = KeyturnModel(auth)
        await second.start()
        #expect(second.state == first.state)
        try await auth.logout()
        try await first.waits { $0.state == .signedOut }
        try await second.waits { $0.state == .signedOut }
        await world.server.stop()
    }

    @Test func `a renewal that fails signs no user out`() async throws {
        let world = try await ModelWorld()
        let (auth, model) = try await world.signedIn()
        let user = model.state.user
        await world.server.stop()
        world.server.clock.advance(3_600)
        await #expect(throws: AuthError.self) { _ = try await auth.accessToken() }
        try await model.waits { $0.isStale }
        #expect(model.state.user == user)
    }

    @Test func `a session that only the user can renew says so, and the next sign-in forgets it`() async throws {
        let world = try await ModelWorld()
        let (auth, model) = try await world.signedIn()
        let brief = ManagedSession(
            accessToken: "brief", expiresAt: world.server.clock.now + 600, userClaims: ["sub": "andy"])
        try await auth.sessionManager.storeSession(brief)
        try await model.waits { $0.state.user?.subject == "andy" }
        world.server.clock.advance(600)
        await #expect(throws: AuthError(.tokenExpired, "")) { _ = try await auth.accessToken() }
        let andy = KeyturnModel.User(claims: ["sub": "andy"])
        try await model.waits { $0.state == .interactionRequired(andy) }
        #expect(!model.isStale && model.end == nil)
        // As after the next start of the app, which asks for no token first.
        let later = KeyturnModel(world.container())
        await later.start()
        #expect(later.state == .interactionRequired(andy))
        try await auth.authorize(ModelWorld.options)
        try await model.waits { $0.state.user?.subject == TestServer.subject.rawValue }
        await world.server.stop()
    }

    @Test func `a session that the server ended is told by the next start of the app, too`() async throws {
        let world = try await ModelWorld()
        let (auth, _) = try await world.signedIn()
        let foreign = ManagedSession(
            accessToken: "unknown", refreshToken: "unknown", expiresAt: world.server.clock.now + 600,
            userClaims: ["sub": "andy"])
        try await auth.sessionManager.storeSession(foreign)
        await #expect(throws: AuthError.self) { _ = try await auth.forceRefresh() }
        let later = KeyturnModel(world.container())
        await later.start()
        #expect(later.state == .signedOut && later.end == .refused)
        await world.server.stop()
    }

    @Test func `a session that the server ends says so, and the next sign-in forgets it`() async throws {
        let world = try await ModelWorld()
        let (auth, model) = try await world.signedIn()
        let foreign = ManagedSession(
            accessToken: "unknown", refreshToken: "unknown", expiresAt: world.server.clock.now + 600,
            userClaims: ["sub": "andy"])
        try await auth.sessionManager.storeSession(foreign)
        try await model.waits { $0.state.user?.subject == "andy" }
        await #expect(throws: AuthError.self) { _ = try await auth.forceRefresh() }
        try await model.waits { $0.state == .signedOut }
        #expect(model.end == .refused)
        try await auth.authorize(ModelWorld.options)
        try await model.waits { $0.state.user != nil }
        #expect(model.end == nil)
        await world.server.stop()
    }

    @Test func `a locked vault is neither signed in nor signed out`() async throws {
        let world = try await ModelWorld()
        let (auth, model) = try await world.signedIn()
        try await auth.vault.store(newPassword: "1234")
        try await auth.vault.lock()
        try await model.waits { $0.state == .locked }
        let later = KeyturnModel(world.container())
        await later.start()
        #expect(later.state == .locked)
        try await auth.vault.unlock(TestServer.subject.rawValue, password: "1234")
        try await model.waits { $0.state.user?.subject == TestServer.subject.rawValue }
        await world.server.stop()
    }

    @Test func `a store that cannot be read is not signed out, and is tried again`() async throws {
        let store = ClosedStore()
        let world = try await ModelWorld(store: store)
        let model = KeyturnModel(world.container())
        await model.start()
        #expect(model.state == .unavailable(AuthError(.storeUnavailable, "")))
        await model.start()
        #expect(model.state == .unavailable(AuthError(.storeUnavailable, "")))
        await store.open()
        await model.start()
        #expect(model.state == .signedOut)
        await world.server.stop()
    }

    @Test func `hears that a store cannot be read from another caller, too`() async throws {
        let world = try await ModelWorld(store: ClosedStore())
        let auth = world.container()
        let (first, second) = (KeyturnModel(auth), KeyturnModel(auth))
        await first.start()
        await second.start()
        #expect(first.state == second.state)
        #expect(second.state == .unavailable(AuthError(.storeUnavailable, "")))
        await world.server.stop()
    }

    @Test func `tells views of a change once, and of nothing else`() async throws {
        let world = try await ModelWorld()
        let (auth, model) = try await world.signedIn()
        let changes = Counter()
        func watch() {
            withObservationTracking {
                _ = (model.state, model.isStale, model.end)
            } onChange: {
                changes.add()
            }
        }
        watch()
        _ = try await auth.forceRefresh()
        await model.start()
        #expect(changes.count == 0, "a renewal changes nothing that is shown")
        try await auth.logout()
        try await model.waits { $0.state == .signedOut }
        #expect(changes.count == 1)
        await world.server.stop()
    }

    @Test func `keeps neither itself nor its container alive`() async throws {
        let world = try await ModelWorld()
        var pair: (auth: Keyturn, model: KeyturnModel)? = try await world.signedIn()
        weak let auth = pair?.auth
        weak let model = pair?.model
        #expect(auth != nil && model != nil)
        pair = nil
        for _ in 0..<2_000 where auth != nil || model != nil { try await Task.sleep(for: .milliseconds(5)) }
        #expect(model == nil)
        #expect(auth == nil)
        await world.server.stop()
    }

    @Test func `finishes a sign-in with an address, and shows what went wrong`() async throws {
        let world = try await ModelWorld()
        let auth = world.container()
        let model = KeyturnModel(auth)
        await model.start()
        #expect(await model.open("myapp://elsewhere") == false)
        let url = try await auth.startAuthorization(ModelWorld.options)
        let browser = PersonAtBrowser(browser: world.server.browser())
        let page = try await browser.prepare(redirectURI: ModelWorld.options.redirectURI)
        let callback = try await page.open(url, state: "")
        #expect(await model.open(callback))
        #expect(model.linkError == nil)
        try await model.waits { $0.state.user != nil }
        let second = try await auth.startAuthorization(ModelWorld.options)
        let other = try await page.open(second, state: "")
        let state = try #require(other.split(separator: "&").first { $0.contains("state=") })
        let query = "\(state.split(separator: "?").last ?? "")&code=bent&iss=\(world.server.issuer)"
        let bent = "\(ModelWorld.options.redirectURI)?\(query)"
        #expect(await model.open(bent))
        #expect(model.linkError != nil)
        await world.server.stop()
    }
}

/// Counts on any thread.
final class Counter: Sendable {
    private let value = Locked(0)

    var count: Int { value.withLock { $0 } }

    func add() {
        value.withLock { $0 += 1 }
    }
}
