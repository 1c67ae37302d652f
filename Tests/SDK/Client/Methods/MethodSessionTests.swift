import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Methods: the session that a proof makes")
struct MethodSessionTests {
    let world = MethodWorld()

    @Test func `a proof signs in, and the answer says who`() async throws {
        let auth = world.container()
        let response = try await auth.otp.verify(with: .email, loginId: "a@example.com", code: "123456")
        #expect(response.isFirstAuthentication)
        #expect(response.user.email == "a@example.com")
        #expect(response.user.phone == nil)
        #expect(response.user.status == .enabled)
        #expect(response.sessionToken.projectId == "P1")
        #expect(response.sessionToken.permissions() == ["read"])
        #expect(response.sessionToken.permissions(tenant: "t1") == ["write"])
        #expect(response.sessionToken.roles(tenant: "t1") == ["admin"])
        #expect(response.sessionToken.roles(tenant: "t2") == [])
        #expect(await auth.state == .signedIn(.fresh))
        #expect(try await auth.accessToken() == response.sessionToken.jwt)
        #expect(auth.sessionManager.session?.userClaims["name"] == "Andy")
    }

    @Test func `another container of the name finds the session and renews it here`() async throws {
        _ = try await world.signedIn()
        let other = world.container()
        #expect(try await other.start() == .signedIn(.fresh))
        world.clock.advance(600)
        _ = try await other.accessToken()
        #expect(await world.service.count("/v1/auth/refresh") == 1)
        #expect(await world.service.requests.allSatisfy { !$0.url.contains("openid-configuration") })
        let stored = try #require(
            try await Keyturn.stored(name: "default", storage: .custom(world.store), transport: world.service))
        #expect(stored.service.projectID == "P1")
    }

    @Test func `a hundred callers renew once, with the token of the last renewal`() async throws {
        let auth = try await world.signedIn()
        for round in 1...3 {
            world.clock.advance(600)
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await auth.accessToken() } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(await world.service.count("/v1/auth/refresh") == round)
        }
    }

    @Test func `the server's definite word ends the session`() async throws {
        let auth = try await world.signedIn()
        await world.service.forgetSession()
        world.clock.advance(600)
        let error = await #expect(throws: AuthError.self) { try await auth.accessToken() }
        #expect(error?.code == .sessionEnded)
        #expect(error?.methodCode == MethodProblem.tokenRevoked.code)
        #expect(await auth.state == .ended(.refused))
        #expect(await world.store.read("default").record == nil)
    }

    @Test func `a session of a method cannot be proven again on a page, and is no sign-out`() async throws {
        let auth = try await world.signedIn()
        await #expect(throws: AuthError(.cannotReauthenticate, "")) {
            try await auth.reauthenticate(redirectURI: "myapp://callback")
        }
        #expect(await auth.state == .signedIn(.fresh))
        await #expect(throws: AuthError(.signedOut, "")) {
            try await world.container("other").reauthenticate(redirectURI: "myapp://callback")
        }
    }

    static let indefinite: [HTTPResponse] = [
        HTTPResponse(status: 401), HTTPResponse(status: 403), HTTPResponse(status: 500), HTTPResponse(status: 404),
        HTTPResponse(status: 400, body: MethodProblem.tokenRevoked.json.serialized),
        HTTPResponse(status: 502, body: MethodProblem.tokenRevoked.json.serialized),
        FakeMethods.refusal(.badRequest), FakeMethods.refusal(.rateLimited(retryAfterSeconds: 1)),
        FakeMethods.refusal(MethodProblem(code: "E999999", description: "?", status: 401)),
        HTTPResponse(status: 200, body: Array("<html>".utf8)), HTTPResponse(status: 200),
        HTTPResponse(status: 200, body: Array(#"{"sessionJwt":"no token"}"#.utf8)),
    ]

    @Test(arguments: indefinite.indices)
    func `everything else keeps it`(_ index: Int) async throws {
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.fail("/v1/auth/refresh", .answer(Self.indefinite[index]))
        await #expect(throws: AuthError.self) { try await auth.accessToken() }
        #expect(await auth.state.isSignedIn)
        world.clock.advance(10)
        _ = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a refusal by any code is definite once the refresh token has run out`() async throws {
        let auth = try await world.signedIn()
        world.clock.advance(2_592_001)
        await world.service.fail(
            "/v1/auth/refresh",
            .answer(FakeMethods.refusal(MethodProblem(code: "E999999", description: "?", status: 401))))
        let error = await #expect(throws: AuthError.self) { try await auth.accessToken() }
        #expect(error?.code == .sessionEnded)
    }

    @Test func `a renewal that names somebody else is not taken`() async throws {
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.set { $0.subject = "U2" }
        let error = await #expect(throws: AuthError.self) { try await auth.accessToken() }
        #expect(error?.code == .tokenMisdirected)
        #expect(await auth.state.isSignedIn)
    }

    @Test func `tokens in cookies are found`() async throws {
        await world.service.set { $0.usesCookies = true }
        let auth = world.container()
        let response = try await auth.password.signIn(loginId: "a", password: "pw")
        #expect(response.sessionToken.expiresAt > world.clock.now)
        #expect(response.refreshToken?.jwt == (await world.service.refreshToken))
        world.clock.advance(600)
        #expect(try await auth.accessToken() != response.sessionToken.jwt)
    }

    @Test func `signing out tells the service, and an ended session needs no telling`() async throws {
        let auth = try await world.signedIn()
        let token = await world.service.refreshToken
        try await auth.logout()
        #expect(await world.service.ended == [token])
        #expect(await auth.state == .signedOut)
        let again = try await world.signedIn()
        await world.service.fail("/v1/auth/logout", .answer(FakeMethods.refusal(.tokenRevoked)))
        try await again.revokeSessions(.currentSession)
        #expect(await again.state == .signedOut)
    }

    @Test func `a sign-out that cannot be told changes nothing, unless it is forced`() async throws {
        let auth = try await world.signedIn()
        await world.service.fail("/v1/auth/logout", .unreachable, .unreachable)
        await #expect(throws: AuthError.self) { try await auth.logout() }
        #expect(await auth.state.isSignedIn)
        try await auth.logout(force: true)
        #expect(await auth.state == .signedOut)
    }

    @Test func `all sessions end at once`() async throws {
        let auth = try await world.signedIn()
        try await auth.revokeSessions(.allSessions)
        #expect(try await world.service.last.line == "POST /v1/auth/logoutall")
        #expect(await auth.state == .signedOut)
        #expect(await world.store.read("default").record == nil)
    }

    @Test func `a migrated session asks who it is`() async throws {
        let auth = world.container()
        let response = try await auth.migrateSession(externalToken: "other.service's")
        #expect(response.user.userId == "U1")
        #expect(
            await world.service.requests.map { FakeMethods.Recorded($0).line } == [
                "POST /v1/auth/refresh", "GET /v1/auth/me",
            ])
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `selecting a tenant replaces the tokens of the same session`() async throws {
        let auth = try await world.signedIn()
        let token = try await auth.profile.selectTenant("t1")
        #expect(token.currentTenant == "t1")
        #expect(try await auth.accessToken() == token.jwt)
        world.clock.advance(600)
        _ = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `taking up the session that the container has already loses nothing`() async throws {
        let auth = world.container()
        let response = try await auth.otp.verify(with: .email, loginId: "a", code: "123456")
        try await auth.sessionManager.storeSession(ManagedSession(from: response))
        #expect(auth.sessionManager.session?.userClaims["name"] == "Andy")
        #expect(try await auth.accessToken() == response.sessionToken.jwt)
    }

    @Test func `tokens from elsewhere are taken up and renewed here`() async throws {
        let elsewhere = MethodWorld()
        let response = try await elsewhere.container().magicLink.verify(token: "tok")
        let here = Keyturn(
            .descope(projectID: "P1", baseURL: FakeMethods.baseURL), storage: .custom(FragileStore()),
            transport: elsewhere.service, ambient: elsewhere.clock.ambient)
        try await here.sessionManager.storeSession(ManagedSession(from: response))
        elsewhere.clock.advance(600)
        _ = try await here.accessToken()
        #expect(await elsewhere.service.count("/v1/auth/refresh") == 1)
    }
}
