import Identity
import Keyturn
import KeyturnBase
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import SignIn
import Testing

@Suite("End to end: an app changes its user's account, without a page")
struct AccountChangeEndToEndTests {
    private static let bea = "bea@example.com"
    private static let newPassword = "a-longer-and-better-one"

    /// A user who signed up with a code that came by email.
    private func signedUp(_ server: TestServer) async throws -> Keyturn {
        let auth = server.app()
        try await auth.otp.signUp(with: .email, loginId: Self.bea)
        let code = try #require(try await server.newestMessage(to: Self.bea).code)
        try await auth.otp.verify(with: .email, loginId: Self.bea, code: code)
        return auth
    }

    /// Whether a code for `loginId` can be asked for, and signs in.
    private func signsIn(_ loginId: String, _ method: DeliveryMethod, _ server: TestServer) async throws -> String? {
        let auth = server.app()
        do {
            try await auth.otp.signIn(with: method, loginId: loginId)
            guard let code = try await server.newestMessage(to: loginId).code else { return nil }
            return try await auth.otp.verify(with: method, loginId: loginId, code: code).user.userId
        } catch let error as AuthError {
            #expect(error.server != nil, "\(error)")
            return nil
        }
    }

    @Test func `a password is replaced by the user who knows it, and by no other`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let wrong = await #expect(throws: AuthError.self) {
            try await auth.password.replace(
                loginId: TestServer.username, oldPassword: "a slip", newPassword: Self.newPassword)
        }
        #expect(wrong?.methodCode == MethodProblem.wrongPassword.code)
        #expect(try await auth.start() == .signedOut)
        let weak = await #expect(throws: AuthError.self) {
            try await auth.password.replace(
                loginId: TestServer.username, oldPassword: TestServer.password, newPassword: "short")
        }
        #expect(weak?.server != nil)
        #expect(await auth.state == .signedOut)

        let answer = try await auth.password.replace(
            loginId: TestServer.username, oldPassword: TestServer.password, newPassword: Self.newPassword)
        #expect(answer.user.userId == TestServer.subject.rawValue)
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await server.newestMessage(to: TestServer.username).kind == .passwordChanged)
        server.clock.advance(601)
        #expect(try await auth.profile.me().userId == TestServer.subject.rawValue)
        let other = server.app()
        await #expect(throws: AuthError.self) {
            try await other.password.signIn(loginId: TestServer.username, password: TestServer.password)
        }
        try await other.password.signIn(loginId: TestServer.username, password: Self.newPassword)
        await server.stop()
    }

    @Test(arguments: [false, true])
    func `a new email address signs in only if it was added to the login identifiers`(_ adds: Bool) async throws {
        let server = try await TestServer.start()
        let auth = try await signedUp(server)
        let user = try await auth.profile.me().userId
        let masked = try await auth.otp.updateEmail(
            "bea@example.org", loginId: Self.bea, options: adds ? .addToLoginIds : [])
        #expect(masked.hasPrefix("b") && masked != "bea@example.org")
        await #expect(throws: AuthError.self) {
            try await auth.otp.verify(with: .email, loginId: Self.bea, code: "000000")
        }
        #expect(try await auth.profile.me().email == Self.bea, "nothing changes before the code")
        let code = try #require(try await server.newestMessage(to: "bea@example.org").code)
        try await auth.otp.verify(with: .email, loginId: Self.bea, code: code)
        let me = try await auth.profile.me()
        #expect(me.userId == user && me.email == "bea@example.org" && me.isVerifiedEmail)
        #expect(me.loginIds.contains("bea@example.org") == adds)
        #expect(try await signsIn("bea@example.org", .email, server) == (adds ? user : nil))
        let notice = try await server.newestMessage(to: Self.bea)
        #expect(notice.kind == .addressChanged, "the earlier address hears of it")
        await server.stop()
    }

    @Test(arguments: [false, true])
    func `a telephone number is proved by a text message`(_ adds: Bool) async throws {
        let server = try await TestServer.start()
        let auth = try await signedUp(server)
        let user = try await auth.profile.me().userId
        await #expect(throws: AuthError(.invalidArgument, "")) {
            try await auth.otp.updatePhone("+15557654321", with: .email, loginId: Self.bea)
        }
        try await auth.otp.updatePhone(
            "+15557654321", with: .sms, loginId: Self.bea, options: adds ? .addToLoginIds : [])
        let message = try await server.newestMessage(to: "+15557654321")
        #expect(message.channel == .sms)
        try await auth.otp.verify(with: .sms, loginId: Self.bea, code: try #require(message.code))
        let me = try await auth.profile.me()
        #expect(me.userId == user && me.phone == "+15557654321" && me.isVerifiedPhone)
        #expect(me.loginIds.contains("+15557654321") == adds)
        #expect(try await signsIn("+15557654321", .sms, server) == (adds ? user : nil))
        await server.stop()
    }

    @Test func `a backend changes the address of the user whose refresh token it was sent`() async throws {
        let server = try await TestServer.start()
        let auth = try await signedUp(server)
        let backend = server.app()
        await #expect(throws: AuthError(.signedOut, "")) {
            try await backend.otp.updateEmail("bea@example.org", loginId: Self.bea)
        }
        let session = try #require(try await auth.sessionManager.loadSession())
        try await backend.otp.updateEmail(
            "bea@example.org", loginId: Self.bea, refreshJwt: session.refreshToken, options: .addToLoginIds)
        let another = await #expect(throws: AuthError.self) {
            try await backend.otp.updateEmail(
                "mallory@example.org", loginId: TestServer.username, refreshJwt: session.refreshToken)
        }
        #expect(another?.server != nil, "the token is another user's")
        #expect(await backend.state == .signedOut)
        let code = try #require(try await server.newestMessage(to: "bea@example.org").code)
        try await auth.otp.verify(with: .email, loginId: Self.bea, code: code)
        #expect(try await auth.profile.me().email == "bea@example.org")
        await server.stop()
    }

    @Test func `signing out everywhere ends the sessions on every device, of this user alone`() async throws {
        let server = try await TestServer.start()
        let (auth, bea) = (server.app(), try await signedUp(server))
        let others = [server.app(), server.app()]
        for app in [auth] + others {
            try await app.password.signIn(loginId: TestServer.username, password: TestServer.password)
        }
        #expect(try await server.liveClients().count == 3)
        let token = try await auth.accessToken()
        try await auth.revokeSessions(.allSessions)
        #expect(await auth.state == .signedOut)
        #expect(try await server.liveClients().isEmpty)
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 401)
        for app in others {
            await #expect(throws: AuthError(.sessionEnded, "")) { try await app.forceRefresh() }
            #expect(await app.state == .ended(.refused))
        }
        try await bea.forceRefresh()
        #expect(await bea.state.isSignedIn)
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.revokeSessions(.allSessions) }
        await server.stop()
    }
}
