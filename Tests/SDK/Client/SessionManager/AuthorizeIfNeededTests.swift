import KeyturnBase
import Testing

@testable import Keyturn

@Suite("A sign-in only if it is needed")
struct AuthorizeIfNeededTests {
    @Test func `the first launch opens the page, and the next one does not`() async throws {
        let world = try World()
        let session = try await world.container().authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(session.idToken != nil)
        let codes = await world.service.count("/token")
        let next = world.container(bend: { _ in throw AuthError(.cancelled, "a page was opened") })
        #expect(try await next.authorizeIfNeeded(redirectURI: World.redirectURI) == session)
        #expect(await world.service.count("/token") == codes)
    }

    @Test func `no page while the network is down, or the store`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        world.clock.advance(10_000)
        await world.service.fail("/token", .unreachable)
        let next = world.container(bend: { _ in throw AuthError(.cancelled, "a page was opened") })
        _ = try await next.authorizeIfNeeded(redirectURI: World.redirectURI)
        await world.store.set(readable: false)
        let locked = world.container(bend: { _ in throw AuthError(.cancelled, "a page was opened") })
        await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await locked.authorizeIfNeeded(redirectURI: World.redirectURI)
        }
        await world.store.set()
        _ = try await locked.authorizeIfNeeded(redirectURI: World.redirectURI)
    }

    @Test func `a session that has run out and cannot be renewed is none`() async throws {
        let world = try World()
        await world.service.set { $0.issuesRefreshTokens = false }
        let first = try await world.container().authorizeIfNeeded(redirectURI: World.redirectURI)
        let next = world.container()
        #expect(try await next.authorizeIfNeeded(redirectURI: World.redirectURI) == first)
        world.clock.advance(10_000)
        #expect(try await next.authorizeIfNeeded(redirectURI: World.redirectURI) != first)
    }

    @Test func `an ended session leads to the page`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        await world.service.forgetSession()
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.forceRefresh() }
        _ = try await auth.authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(try await auth.fetchAPI() == 200)
    }
}
