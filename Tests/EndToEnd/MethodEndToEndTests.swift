import Identity
import Keyturn
import KeyturnBase
import KeyturnVerify
import Model
import ServerTesting
import Testing

@Suite("End to end: signing in by method, with our SDK at our server")
struct MethodEndToEndTests {
    @Test func `a code signs up, the session refreshes itself, and ends at the server too`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let masked = try await auth.otp.signUp(with: .email, loginId: "bea@example.com")
        #expect(masked.hasPrefix("b"))
        let code = try #require(try await server.newestMessage(to: "bea@example.com").code)
        let answer = try await auth.otp.verify(with: .email, loginId: "bea@example.com", code: code)
        #expect(answer.isFirstAuthentication)
        #expect(await auth.state == .signedIn(.fresh))

        let first = try await auth.accessToken()
        server.clock.advance(601)
        #expect(try await auth.accessToken() != first)
        #expect(try await auth.profile.me().userId == answer.user.userId)
        let info = try await auth.userInfo()
        #expect(info.subject == answer.user.userId && info.email == "bea@example.com" && info.isEmailVerified == true)
        #expect(info.phoneNumber == nil && info.isPhoneNumberVerified == nil)
        try await auth.logout()
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.accessToken() }
        await server.stop()
    }

    @Test func `a hundred callers cost one refresh on this wire as well`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        _ = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        server.clock.advance(601)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await auth.accessToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        await server.stop()
    }

    @Test func `a wrong code and a wrong password say so, and nobody is signed in`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        #expect(try await auth.start() == .signedOut)
        _ = try await auth.otp.signIn(with: .email, loginId: TestServer.username)
        let wrong = await #expect(throws: AuthError.self) {
            try await auth.otp.verify(with: .email, loginId: TestServer.username, code: "000000")
        }
        #expect(wrong?.server?.code == "E061102")
        await #expect(throws: AuthError.self) {
            try await auth.password.signIn(loginId: TestServer.username, password: "a slip")
        }
        #expect(await auth.state == .signedOut)
        await server.stop()
    }

    @Test func `a session that the server ended is over in the app, with its reason`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        _ = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .administrator, at: server.clock.now)
        server.clock.advance(601)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
        #expect(await auth.state == .ended(.refused))
        await server.stop()
    }
}
