import Identity
import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("End to end: authenticators, profiles and access keys, with our SDK at our server")
struct AuthenticatorEndToEndTests {
    private func shown(_ authenticator: TOTPCode, _ server: TestServer) -> String {
        authenticator.code(at: server.clock.now).exposed()
    }

    @Test func `87: an authenticator signs up and in, and a code that was used is refused`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        #expect(try await auth.start() == .signedOut)
        let made = try await auth.totp.signUp(loginId: "bea", details: SignUpDetails(name: "Bea"))
        #expect(
            made.provisioningURL.contains("secret=\(made.key)")
                && Array(made.image.prefix(4)) == [0x89, 0x50, 0x4E, 0x47])
        #expect(await auth.state == .signedOut, "nobody is there before the first code")
        let authenticator = try TOTPCode(typed: made.key)
        let code = shown(authenticator, server)
        let first = try await auth.totp.verify(loginId: "bea", code: code)
        #expect(first.isFirstAuthentication && first.user.authentication.totp)
        let replayed = await #expect(throws: AuthError.self) { try await auth.totp.verify(loginId: "bea", code: code) }
        #expect(replayed?.methodCode == MethodProblem.wrongCode.code)
        try await auth.logout()
        server.clock.advance(30)
        let second = try await auth.totp.verify(loginId: "bea", code: shown(authenticator, server))
        #expect(!second.isFirstAuthentication && second.user.userId == first.user.userId)
        await server.stop()
    }

    @Test func `a second factor goes on from the session, and the backend sees both`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let backend = server.sessionTokens
        let one = try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        #expect(try await !backend.verify(one.sessionToken.jwt, at: server.clock.now).hasSeveralFactors)
        let authenticator = try TOTPCode(typed: try await auth.totp.update(loginId: TestServer.username).key)
        let two = try await auth.totp.verify(
            loginId: TestServer.username, code: shown(authenticator, server), options: [.stepup, .mfa])
        let verified = try await backend.verify(two.sessionToken.jwt, at: server.clock.now)
        #expect(verified.hasSeveralFactors && verified.isSteppedUp && verified.subject == two.user.userId)
        server.clock.advance(601)
        let renewed = try await backend.verify(try await auth.accessToken(), at: server.clock.now)
        #expect(renewed.hasSeveralFactors && !renewed.isSteppedUp && renewed.grantID == verified.grantID)
        await server.stop()
    }

    @Test func `a backend takes session tokens, and no refresh, access or ID token`() async throws {
        let server = try await TestServer.start()
        let auth = server.app()
        let claims: [String: JSONValue] = ["cart": 7]
        try await auth.otp.signIn(with: .email, loginId: TestServer.username, options: [.customClaims(claims)])
        let code = try #require(try await server.newestMessage(to: TestServer.username).code)
        let response = try await auth.otp.verify(with: .email, loginId: TestServer.username, code: code)
        let backend = server.sessionTokens
        let now = server.clock.now
        #expect(try await backend.verify(response.sessionToken.jwt, at: now).unvouchedClaims == claims)
        let refresh = try #require(response.refreshToken?.jwt)
        await #expect(throws: AuthError(.tokenKind, "")) { try await backend.verify(refresh, at: now) }
        let browser = try await server.tokens(TestClients.web)
        for token in [browser.accessToken, try #require(browser.idToken)] {
            await #expect(throws: AuthError(.tokenKind, "")) { try await backend.verify(token, at: now) }
        }
        let neighbour = SessionTokenVerifier(
            issuer: server.issuer, projectID: "other", keys: KeySet(jwksURI: server.issuer + "/v2/keys/test"))
        await #expect(throws: AuthError(.tokenMisdirected, "")) {
            try await neighbour.verify(response.sessionToken.jwt, at: now)
        }
        await #expect(throws: AuthError(.tokenExpired, "")) {
            try await backend.verify(response.sessionToken.jwt, at: now + 600 + 31)
        }
        await server.stop()
    }

    @Test func `a recovery code does for a lost authenticator, in the browser, once`() async throws {
        let server = try await TestServer.start()
        let setup = server.app()
        try await setup.password.signIn(loginId: TestServer.username, password: TestServer.password)
        let authenticator = try TOTPCode(typed: try await setup.totp.update(loginId: TestServer.username).key)
        try await setup.totp.verify(
            loginId: TestServer.username, code: shown(authenticator, server), options: [.mfa])
        let codes = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        for isFirst in [true, false] {
            let auth = Keyturn(
                .keyturn(issuer: server.issuer, clientID: "tool"), storage: .memory,
                browser: PersonAtBrowser(browser: server.browser(), recoveryCode: codes[0].exposed()),
                transport: DatedTransport(server.clock), ambient: server.clock.ambient)
            #expect(try await auth.start() == .signedOut)
            let callback = "http://127.0.0.1:49152/callback"
            if isFirst {
                let result = try await auth.authorize(redirectURI: callback)
                #expect(result.userInfo.subject == TestServer.subject.rawValue)
            } else {
                await #expect(throws: AuthError.self) { try await auth.authorize(redirectURI: callback) }
            }
            #expect(await auth.state == (isFirst ? .signedIn(.fresh) : .signedOut))
        }
        await server.stop()
    }

    @Test func `an access key is exchanged for a token that a backend takes, until it is deleted`() async throws {
        let server = try await TestServer.start()
        let management = Management(
            projectID: "test", managementKey: Secret(TestServer.managementKey), baseURL: server.issuer)
        let made = try await management.accessKeys.create(name: "nightly job")
        let auth = server.app()
        #expect(try await auth.start() == .signedOut)
        let token = try await auth.accessKeys.exchange(
            accessKey: made.cleartext.exposed(), customClaims: ["job": "nightly"])
        #expect(await auth.state == .signedOut, "a program has no session")
        let verified = try await server.sessionTokens.verify(token.jwt, at: server.clock.now)
        #expect(verified.subject == made.key.id && verified.unvouchedClaims["job"] == "nightly" && verified.amr.isEmpty)
        try await management.accessKeys.delete(made.key.id)
        let gone = await #expect(throws: AuthError.self) {
            try await auth.accessKeys.exchange(accessKey: made.cleartext.exposed())
        }
        #expect(gone?.methodCode == MethodProblem.invalidAccessKey.code)
        await server.stop()
    }

    @Test func `a person sees their tenants, chooses one, and looks at earlier sign-ins`() async throws {
        let server = try await TestServer.start()
        let management = Management(
            projectID: "test", managementKey: Secret(TestServer.managementKey), baseURL: server.issuer)
        for tenant in ["acme", "globex"] {
            _ = try await management.tenants.create(name: tenant, id: tenant)
            _ = try await management.users.addTenant(TestServer.username, tenant)
        }
        let auth = server.app()
        try await auth.password.signIn(loginId: TestServer.username, password: TestServer.password)
        #expect(try await auth.profile.me().loginIds == [TestServer.username])
        #expect(try await auth.profile.tenants().map(\.id).sorted() == ["acme", "globex"])
        #expect(try await auth.profile.tenants(dct: true).isEmpty, "none is chosen yet")
        #expect(try await auth.profile.selectTenant("globex").currentTenant == "globex")
        let verified = try await server.sessionTokens.verify(try await auth.accessToken(), at: server.clock.now)
        #expect(verified.currentTenant == "globex" && verified.tenants.count == 2)
        let stranger = await #expect(throws: AuthError.self) { try await auth.profile.selectTenant("initech") }
        #expect(stranger?.methodCode == MethodProblem.invalidRequest.code)
        #expect(try await auth.profile.history().count == 1)
        await server.stop()
    }
}
