import Foundation
import Identity
import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: one session, whatever signed the user in")
struct OneSessionEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"

    /// An app whose user has a browser.
    private func app(
        _ server: TestServer, binding: Service.Binding = .refreshToken, storage: SessionStorage = .memory
    ) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", projectID: "test", binding: binding), storage: storage,
            browser: PersonAtBrowser(browser: server.browser(), conduct: .signsIn),
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    private func authorized(_ server: TestServer) async throws -> Keyturn {
        let auth = app(server)
        try await auth.authorize(redirectURI: Self.callback)
        return auth
    }

    @Test func `after authorize the methods know the user, and change the account`() async throws {
        let server = try await TestServer.start()
        let auth = try await authorized(server)
        #expect(try await auth.profile.me().userId == TestServer.subject.rawValue)
        #expect(try await auth.profile.tenants().isEmpty)
        #expect(try await !auth.profile.history().isEmpty)
        try await auth.password.update(loginId: TestServer.username, newPassword: "a quite different one 7")
        #expect(try await auth.profile.me().userId == TestServer.subject.rawValue, "the session was kept")
        try await auth.forceRefresh()
        let masked = try await auth.otp.updateEmail("andy2@example.com", loginId: TestServer.username)
        #expect(!masked.isEmpty)
        let code = try #require(try await server.newestMessage(to: "andy2@example.com").code)
        try await auth.otp.verify(with: .email, loginId: TestServer.username, code: code)
        #expect(try await auth.profile.me().email == "andy2@example.com")
        let key = try await auth.totp.update(loginId: TestServer.username).key
        let shown = try TOTPCode(typed: key).code(at: server.clock.now).exposed()
        try await auth.totp.verify(loginId: TestServer.username, code: shown)
        #expect(try await auth.profile.me().authentication.totp)
        let live = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 9, at: server.clock.now)
        #expect(live.map(\.clientID) == ["tool"], "changes of the account open no other session")
        await server.stop()
    }

    @Test func `71: a second factor raises the session of an authorization, and its tokens say so`() async throws {
        let server = try await TestServer.start()
        let auth = try await authorized(server)
        let before = try await auth.accessToken()
        _ = try await auth.otp.signIn(with: .email, loginId: TestServer.username, options: [.mfa])
        let code = try #require(try await server.newestMessage(to: TestServer.username).code)
        let answer = try await auth.otp.verify(with: .email, loginId: TestServer.username, code: code)
        #expect(answer.user.userId == TestServer.subject.rawValue && !answer.isFirstAuthentication)
        #expect(try await auth.accessToken() == answer.sessionToken.jwt && before != answer.sessionToken.jwt)
        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer))
        let token = try await verifier.verify(answer.sessionToken.jwt, at: server.clock.now)
        #expect(token.claims["amr"]?.stringArrayValue?.contains("mfa") == true)
        let live = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 9, at: server.clock.now)
        #expect(live.count == 1 && live[0].clientID == "tool")
        #expect(await auth.idToken?.subject == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `signing out everywhere ends the session of an authorization and those of methods`() async throws {
        let server = try await TestServer.start()
        let auth = try await authorized(server)
        let other = server.app()
        _ = try await other.password.signIn(loginId: TestServer.username, password: TestServer.password)
        try await auth.revokeSessions(.allSessions)
        #expect(await auth.state == .signedOut)
        server.clock.advance(700)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await other.accessToken() }
        let live = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 9, at: server.clock.now)
        #expect(live.isEmpty)
        await server.stop()
    }

    @Test func `the session of a method reauthenticates, and is then an authorization's`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        let first = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        #expect(await auth.canReauthenticate)
        try await auth.settings.open()
        server.clock.advance(5)
        let result = try await auth.reauthenticate(redirectURI: Self.callback)
        #expect(result.userInfo.subject == first.user.userId)
        #expect(await auth.idToken?.authTime == server.clock.now)
        #expect(try await auth.profile.me().userId == first.user.userId)
        let live = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 9, at: server.clock.now)
        #expect(live.map(\.clientID) == ["tool"], "the method's session has ended")
        try await auth.reauthenticate(redirectURI: Self.callback)
        await server.stop()
    }

    @Test func `another user at the page replaces nothing, and leaves no session`() async throws {
        let server = try await TestServer.start()
        let auth = app(server)
        _ = try await auth.otp.signUp(with: .email, loginId: "bea@example.com")
        let code = try #require(try await server.newestMessage(to: "bea@example.com").code)
        let bea = try await auth.otp.verify(with: .email, loginId: "bea@example.com", code: code)
        await #expect(throws: AuthError(.differentPerson, "")) {
            try await auth.reauthenticate(redirectURI: Self.callback)
        }
        #expect(try await auth.profile.me().userId == bea.user.userId)
        let live = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 9, at: server.clock.now)
        #expect(live.isEmpty, "what the other user was given was given back")
        await server.stop()
    }

    @Test func `an unbound session of an authorization is told how to be one`() async throws {
        let server = try await TestServer.start()
        let auth = app(server, binding: .none)
        try await auth.authorize(redirectURI: Self.callback)
        let error = await #expect(throws: AuthError(.unsupported, "")) { try await auth.profile.me() }
        #expect(error?.detail.contains("binding") == true)
        await #expect(throws: AuthError(.unsupported, "")) { try await auth.profile.selectTenant("t1") }
        await server.stop()
    }
}
