import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("A session's beginning and end")
struct LifecycleTests {
    @Test func `start finds what an earlier process stored, without any network`() async throws {
        let world = try World()
        let before = try await world.signedIn()
        let idToken = await before.idTokenHint
        let asked = await world.service.requests.count
        let after = world.container()
        #expect(await after.state == .unknown)
        #expect(try await after.start() == .signedIn(.fresh))
        #expect(await after.idTokenHint == idToken)
        #expect(await after.authTime == before.authTime)
        #expect(await after.canReauthenticate)
        #expect(await world.service.requests.count == asked)
    }

    @Test func `start with nothing stored says so`() async throws {
        let world = try World()
        let auth = world.container()
        var changes = auth.changes.makeAsyncIterator()
        #expect(try await auth.start() == .signedOut)
        #expect(await changes.next() == SessionChange(.signedOut, .nothingStored))
    }

    @Test func `start with a locked store leaves the state open, and tries again`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        await world.store.set(readable: false)
        let auth = world.container()
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.start() }
        #expect(await auth.state == .unknown)
        await world.store.set()
        #expect(try await auth.start() == .signedIn(.fresh))
    }

    @Test func `start with a token that ran out is stale, not signed out`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        world.clock.advance(600)
        #expect(try await world.container().start().isStale)
    }

    @Test func `two names share nothing`() async throws {
        let world = try World()
        _ = try await world.signedIn("one")
        #expect(try await world.container("two").start() == .signedOut)
        #expect(try await world.container("One").start() == .signedOut)
    }

    @Test func `a session of another client under the same name is never used`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        let other = world.container(clientID: "other")
        #expect(try await other.start() == .signedOut)
        try await other.logout(force: true)
        #expect(try await world.container().start() == .signedIn(.fresh))
    }

    @Test func `a stored session tells which service it belongs to`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        let found = try #require(
            try await Keyturn.stored(
                name: "default", storage: .custom(world.store), transport: world.service, ambient: world.clock.ambient))
        #expect(found.service.issuer == FakeService.issuer)
        #expect(found.service.clientID == FakeService.clientID)
        #expect(try await found.start() == .signedIn(.fresh))
        #expect(try await Keyturn.stored(name: "nobody", storage: .custom(world.store)) == nil)
    }

    @Test func `an end by the service is still told after a restart, until the user signs in`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetSession()
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.forceRefresh() }
        for _ in 1...2 {
            let next = world.container()
            var changes = next.changes.makeAsyncIterator()
            #expect(try await next.start() == .ended(.refused))
            #expect(await changes.next() == SessionChange(.ended(.refused), .nothingStored))
            await #expect(throws: AuthError(.signedOut, "")) { try await next.accessToken() }
        }
        #expect(try await world.container("other").start() == .signedOut)
        #expect(try await world.container(clientID: "other").start() == .signedOut)
        let next = world.container()
        try await next.authorize(redirectURI: World.redirectURI)
        try await next.logout()
        #expect(try await world.container().start() == .signedOut)
    }

    @Test(arguments: [false, true])
    func `a sign-out after the service's end is the last word`(_ force: Bool) async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetSession()
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.forceRefresh() }
        try await world.container().logout(force: force)
        #expect(try await world.container().start() == .signedOut)
    }

    @Test func `another container of the name hears of the service's end as of one`() async throws {
        let world = try World()
        let (one, two) = (try await world.signedIn(), world.container())
        try await two.start()
        var changes = two.changes.makeAsyncIterator()
        await world.service.forgetSession()
        await #expect(throws: AuthError(.sessionEnded, "")) { try await one.forceRefresh() }
        world.clock.advance(1)
        #expect(try await two.start() == .ended(.refused))
        #expect(await changes.next() == SessionChange(.ended(.refused), .changedElsewhere))
    }

    @Test func `logout revokes at the server and removes here`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        var changes = auth.changes.makeAsyncIterator()
        let token = try #require(await world.service.refreshToken)
        try await auth.logout()
        #expect(await world.service.revoked == [token])
        #expect(await auth.state == .signedOut)
        #expect(await auth.idTokenHint == nil)
        #expect(await changes.next() == SessionChange(.signedOut, .signedOut))
        #expect(try await world.container().start() == .signedOut)
    }

    @Test func `logout without the server changes nothing unless forced`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.fail("/revoke", .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.logout() }
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await world.container().start() == .signedIn(.fresh))
        await world.service.fail("/revoke", .unreachable)
        try await auth.logout(force: true)
        #expect(await auth.state == .signedOut)
        #expect(try await world.container().start() == .signedOut)
    }

    @Test func `logout of nobody is no error`() async throws {
        let world = try World()
        let auth = world.container()
        try await auth.logout()
        try await auth.logout(force: true)
        #expect(await world.service.requests.isEmpty)
    }

    @Test func `a forced logout says so when the stored session could not be removed`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.logout(force: true) }
        #expect(await auth.state == .signedOut)
    }

    @Test func `a renewal that ends after a forced logout revives nobody`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .held(gate))
        let caller = Task { try await auth.accessToken() }
        await gate.someoneArrives()
        let logout = Task { try await auth.logout(force: true) }
        await #expect(throws: AuthError(.signedOut, "")) { try await caller.value }
        await gate.open()
        try await logout.value
        #expect(await auth.state == .signedOut)
        try await Self.settle(world)
        #expect(await auth.state == .signedOut)
        #expect(try await world.container().start() == .signedOut)
    }

    @Test func `a record that is being written while somebody signs out does not stay`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let gate = Gate()
        await world.store.hold(gate)
        let caller = Task { try? await auth.accessToken() }
        await gate.someoneArrives()
        await world.store.set(lockable: false)
        try await auth.logout(force: true)
        await world.store.set()
        _ = await caller.value
        await gate.open()
        try await Self.settle(world)
        #expect(await auth.state == .signedOut)
        #expect(try await world.container().start() == .signedOut)
    }

    @Test func `a renewal under way is dropped when another process signs out by force`() async throws {
        let world = try World()
        let renewing = try await world.signedIn()
        let leaving = world.container()
        try await leaving.start()
        var changes = renewing.changes.makeAsyncIterator()
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .answerHeld(gate))
        let caller = Task { try await renewing.accessToken() }
        await gate.someoneArrives()
        let successor = try #require(await world.service.refreshToken)
        await world.store.set(lockable: false)
        try await leaving.logout(force: true)
        await world.store.set()
        await gate.open()
        await #expect(throws: AuthError(.signedOut, "")) { try await caller.value }
        #expect(await changes.next() == SessionChange(.signedOut, .changedElsewhere))
        #expect(await world.service.revoked.last == successor)
        #expect(try await world.container().start() == .signedOut)
    }

    /// Waits until whoever holds the store's lock is done.
    private static func settle(_ world: World) async throws {
        await (try world.store.lock("default", timeoutSeconds: 5))?.unlock()
    }

    @Test func `another container of the name notices within a second`() async throws {
        let world = try World()
        let one = try await world.signedIn()
        let two = world.container()
        try await two.start()
        var changes = two.changes.makeAsyncIterator()
        let renewed = try await one.forceRefresh()
        world.clock.advance(1)
        #expect(try await two.accessToken() == renewed)
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .changedElsewhere))
        try await one.logout()
        world.clock.advance(1)
        await #expect(throws: AuthError(.signedOut, "")) { try await two.accessToken() }
        #expect(await changes.next() == SessionChange(.signedOut, .changedElsewhere))
    }

    @Test func `every reader gets every change, in order`() async throws {
        let world = try World()
        let auth = world.container()
        let readers = [auth.changes, auth.changes]
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.forceRefresh()
        try await auth.logout()
        for reader in readers {
            var reasons: [SessionChange.Reason] = []
            for await change in reader.prefix(3) { reasons.append(change.reason) }
            #expect(reasons == [.signedIn, .refreshed, .signedOut])
        }
    }

    @Test func `changes end with the container`() async throws {
        let world = try World()
        var auth: Keyturn? = world.container()
        let changes = try #require(auth?.changes)
        auth = nil
        for await _ in changes { Issue.record("nothing changed") }
    }

    @Test func `the end-session page is asked with the ID token`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let hint = try #require(await auth.idTokenHint)
        let url = try #require(try await auth.endSessionURL(postLogoutRedirectURI: "myapp://bye", state: "s"))
        #expect(url.hasPrefix(FakeService.issuer + "/end_session?"))
        #expect(url.contains("id_token_hint=" + hint))
        #expect(url.contains("post_logout_redirect_uri=myapp%3A%2F%2Fbye"))
    }

    @Test func `nothing that holds a session shows it when printed`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let record = try #require(await auth.keeper.machine.record)
        let printed = "\(record) \(record.stored) \(String(reflecting: record)) \(try #require(await auth.idToken))"
        #expect(!printed.contains("access-"))
        #expect(!printed.contains("refresh-"))
        #expect(!printed.contains("andy"))
        #expect(!printed.contains("eyJ"))
    }
}
