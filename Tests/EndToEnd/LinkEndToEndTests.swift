import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: links, with our SDK at our server")
struct LinkEndToEndTests {
    private static let bea = "bea@example.com"

    @Test func `a magic link signs up, another one signs in, a third one moves to another address`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let page = "http://127.0.0.1:9000/arrived?from=app"
        let masked = try await auth.magicLink.signUp(
            with: .email, loginId: Self.bea, details: SignUpDetails(name: "Bea"), redirectURL: page)
        #expect(masked.hasPrefix("b") && masked != Self.bea)
        let link = try #require(try await server.newestMessage(to: Self.bea).links.first)
        #expect(link.hasPrefix(page + "&t="))
        let first = try await auth.magicLink.verify(token: TestServer.token(in: link))
        #expect(first.isFirstAuthentication && first.user.name == "Bea" && first.user.isVerifiedEmail)
        #expect(await auth.state == .signedIn(.fresh))
        try await auth.logout()

        try await auth.magicLink.signIn(with: .email, loginId: Self.bea)
        let second = try await auth.magicLink.verify(
            token: TestServer.token(in: try await server.newestMessage(to: Self.bea).links.first))
        #expect(!second.isFirstAuthentication && second.user.userId == first.user.userId)

        let new = "bea@elsewhere.example"
        try await auth.magicLink.updateEmail(new, loginId: Self.bea, options: .addToLoginIds)
        let moved = try await auth.magicLink.verify(
            token: TestServer.token(in: try await server.newestMessage(to: new).links.first))
        #expect(moved.user.email == new && moved.user.loginIds.sorted() == [Self.bea, new].sorted())
        #expect(try await auth.profile.me().userId == first.user.userId)
        await server.stop()
    }

    @Test func `a link is good once, and whoever asks for somebody unknown learns nothing`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let unknown = try await auth.magicLink.signIn(with: .email, loginId: "nobo@example.com")
        let known = try await auth.magicLink.signIn(with: .email, loginId: TestServer.username)
        #expect(unknown.filter { $0 == "*" }.count > 1 && known.filter { $0 == "*" }.count > 1)
        let token = try TestServer.token(in: try await server.newestMessage(to: TestServer.username).links.first)
        try await auth.magicLink.verify(token: token)
        let again = await #expect(throws: AuthError.self) { try await auth.magicLink.verify(token: token) }
        #expect(again?.methodCode == MethodProblem.linkUnknown.code)
        #expect(await auth.state == .signedIn(.fresh), "the session that there is stays")
        await server.stop()
    }

    /// The right link of three, and the two others.
    private func links(_ server: TestServer, _ started: EnchantedLinkResponse, to address: String) async throws -> (
        right: String, wrong: [String]
    ) {
        let message = try await server.newestLinks(to: address)
        let numbers = try #require(message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init))
        let tokens = try message.links.map { try TestServer.token(in: $0) }
        let right = try #require(numbers.firstIndex(of: started.linkId))
        return (tokens[right], tokens.indices.filter { $0 != right }.map { tokens[$0] })
    }

    /// Follows a link on another device.
    private func follow(_ token: String, _ server: TestServer) async throws -> EndpointAnswer {
        try await server.call("POST", "/v1/auth/enchantedlink/verify", bearer: "test", ["token": .string(token)])
    }

    @Test func `an enchanted link is followed elsewhere, and the app that waits is signed in`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let started = try await auth.enchantedLink.signUpOrIn(loginId: Self.bea)
        #expect(started.linkId.count == 2 && started.maskedEmail.hasPrefix("b"))
        await #expect(throws: AuthError(.linkPending, "")) {
            try await auth.enchantedLink.checkForSession(pendingRef: started.pendingRef)
        }
        let right = try await links(server, started, to: Self.bea).right
        async let response = auth.enchantedLink.pollForSession(pendingRef: started.pendingRef, timeout: 60)
        #expect(try await follow(right, server).status == 200)
        #expect(try await response.isFirstAuthentication)
        #expect(await auth.state == .signedIn(.fresh))
        let again = await #expect(throws: AuthError.self) {
            try await auth.enchantedLink.checkForSession(pendingRef: started.pendingRef)
        }
        #expect(again?.methodCode == MethodProblem.linkUnknown.code)
        await server.stop()
    }

    @Test func `the wrong link of three ends the wait, and nobody is signed in`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        #expect(try await auth.start() == .signedOut)
        let started = try await auth.enchantedLink.signIn(loginId: TestServer.username)
        let (right, wrong) = try await links(server, started, to: TestServer.username)
        #expect(try await follow(wrong[0], server).status == 400)
        #expect(try await follow(right, server).status == 400)
        let error = await #expect(throws: AuthError.self) {
            try await auth.enchantedLink.pollForSession(pendingRef: started.pendingRef, timeout: 60)
        }
        #expect(error?.methodCode == MethodProblem.linkUnknown.code)
        #expect(await auth.state == .signedOut)
        await server.stop()
    }

    @Test func `a forgotten password is replaced by a link, and the old one is worth nothing`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let elsewhere = server.app()
        try await elsewhere.password.signIn(loginId: TestServer.username, password: TestServer.password)
        try await auth.password.sendReset(loginId: TestServer.username, redirectURL: "http://127.0.0.1:9000/reset")
        let message = try await server.newestMessage(to: TestServer.username)
        #expect(message.kind == .passwordReset)
        try await auth.magicLink.verify(token: TestServer.token(in: message.links.first))
        let weak = await #expect(throws: AuthError.self) {
            try await auth.password.update(loginId: TestServer.username, newPassword: "short")
        }
        #expect(weak?.methodCode == MethodProblem.invalidRequest.code)
        try await auth.password.update(loginId: TestServer.username, newPassword: "another-horse-battery")
        #expect(try await auth.profile.me().authentication.password, "this session goes on")

        server.clock.advance(601)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await elsewhere.accessToken() }
        await #expect(throws: AuthError.self) {
            try await elsewhere.password.signIn(loginId: TestServer.username, password: TestServer.password)
        }
        try await elsewhere.password.signIn(loginId: TestServer.username, password: "another-horse-battery")
        await server.stop()
    }

    @Test func `89: whoever has an authenticator shows it before a reset changes the password`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        let authenticator = try TOTPCode(typed: try await auth.totp.update(loginId: TestServer.username).key)
        try await auth.totp.verify(
            loginId: TestServer.username, code: authenticator.code(at: server.clock.now).exposed(), options: [.mfa])
        try await auth.logout()
        server.clock.advance(30)

        try await auth.password.sendReset(loginId: TestServer.username)
        let token = try TestServer.token(
            in: try await server.newestLinks(to: TestServer.username).links.first)
        let missing = await #expect(throws: AuthError.self) { try await auth.magicLink.verify(token: token) }
        #expect(missing?.code == .interactionRequired)
        await #expect(throws: AuthError.self) {
            try await auth.password.update(loginId: TestServer.username, newPassword: "another-horse-battery")
        }
        try await auth.totp.verify(
            loginId: TestServer.username, code: authenticator.code(at: server.clock.now).exposed())
        try await auth.password.update(loginId: TestServer.username, newPassword: "another-horse-battery")
        let again = await #expect(throws: AuthError.self) {
            try await auth.password.signIn(loginId: TestServer.username, password: "another-horse-battery")
        }
        #expect(again?.code == .interactionRequired, "the new password, and the authenticator")
        await server.stop()
    }
}
