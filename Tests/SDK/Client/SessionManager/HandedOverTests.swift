import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Tokens that an app hands over from DescopeKit")
struct HandedOverTests {
    @Test func `are renewed where they came from, and only as often as needed`() async throws {
        let world = MethodWorld()
        let old = try #require(try await world.signedIn("elsewhere").sessionManager.loadSession())
        let auth = world.container()
        try await auth.sessionManager.storeSession(
            ManagedSession(accessToken: old.accessToken, refreshToken: old.refreshToken))
        #expect(try await auth.accessToken() == old.accessToken)
        #expect(await world.service.count("/v1/auth/refresh") == 0)
        world.clock.advance(601)
        let renewed = try await auth.accessToken()
        #expect(renewed != old.accessToken)
        let last = try await world.service.last
        #expect(last.line == "POST /v1/auth/refresh" && last.bearer == "Bearer P1:\(old.refreshToken ?? "")")
        #expect(try await world.container().accessToken() == renewed, "stored")
        world.clock.advance(601)
        #expect(try await world.container().accessToken() != renewed)
        try await auth.logout()
        #expect(await world.service.ended.count == 1)
    }

    @Test func `that have run out at the service end the session`() async throws {
        let world = MethodWorld()
        let old = try #require(try await world.signedIn("elsewhere").sessionManager.loadSession())
        let auth = world.container()
        try await auth.sessionManager.storeSession(
            ManagedSession(accessToken: old.accessToken, refreshToken: old.refreshToken))
        await world.service.forgetSession()
        world.clock.advance(601)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
        #expect(await auth.state == .ended(.refused))
    }
}
