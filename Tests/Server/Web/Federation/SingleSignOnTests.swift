import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Single sign-on that an organisation requires")
struct SingleSignOnTests {
    private static let name = TestServer.username

    /// The test's user belongs to `T1`, which requires its own sign-in.
    private func start(
        excluded: Bool = false, others: [String] = [], connections: [Connection]? = nil
    ) async throws -> FederationFixture {
        let tenants = (["T1"] + others).map { Tenant(id: $0, name: $0, createdAt: UnixTime(rawValue: 0)) }
        let fixture = try await FederationFixture.start(
            .person(email: nil),
            connections ?? [.scripted("t1-sso", tenant: "T1"), .scripted("social")], tenants: tenants)
        let server = fixture.server
        let user = try await user(server)
        _ = try await server.services.stores.users.change(user, at: server.clock.now) { account in
            for tenant in tenants { account.memberships.tenants[tenant.id] = [] }
        }
        let made = try await server.manage(
            "tenant/update",
            [
                "id": "T1", "name": "T1", "enforceSSO": true,
                "enforceSSOExclusions": .array(excluded ? [.string(user.rawValue)] : []),
            ])
        #expect(made.status == 200 && made.json["enforceSSO"] == true)
        return fixture
    }

    private func user(_ server: TestServer) async throws -> UserID {
        try #require(try await server.account(Self.name)).user.id
    }

    private func link(_ fixture: FederationFixture, at connection: String) async throws {
        let server = fixture.server
        let key = FederatedProfile.person().key(at: connection)
        let account = try #require(try await server.account(Self.name))
        let identity = FederatedIdentity(
            key: key, userID: account.user.id, linkedAt: server.clock.now, usedAt: server.clock.now)
        #expect(try await server.services.stores.identities.link(identity, epoch: account.user.epoch) == .linked)
    }

    private func events(_ server: TestServer, _ kind: AuditEvent.Kind) async throws -> Int {
        _ = try await server.services.auditLog.flush()
        return try await server.services.stores.audit.search(AuditQuery()).count { $0.kind == kind }
    }

    private func isRefused(_ screen: ScriptedBrowser.Screen) -> Bool {
        screen.page == "login" && screen.body.contains("Provider t1-sso") && screen.body.contains("/federation/t1-sso")
    }

    @Test(
        "F-35: no method of ours opens a session for the organisation's users", arguments: AuthenticationMethod.allCases
    )
    func everyMethod(_ method: AuthenticationMethod) async throws {
        let fixture = try await start()
        let services = fixture.server.services
        let account = try #require(try await fixture.server.account(Self.name))
        await #expect(throws: MethodProblem.self) {
            _ = try await services.sessions.open(
                ProvenIdentity(account: account, method: method, isFirst: false, isOfTwoFactors: true),
                options: .none, presented: nil, from: nil)
        }
        let facts = try SecondFactor.combine(
            method, isOfTwoFactors: true, with: nil, mustCombine: false, at: fixture.server.clock.now)
        #expect(try await services.signIn.openSession(for: account.user, facts, replacing: nil) == nil)
        var vouched = facts
        vouched.tenantID = "T2"
        #expect(try await services.signIn.openSession(for: account.user, vouched, replacing: nil) == nil)
        vouched.tenantID = "T1"
        #expect(try await services.signIn.openSession(for: account.user, vouched, replacing: nil) != nil)
        await fixture.server.stop()
    }

    @Test func `F-35: the hosted pages refuse after the proof, and offer the organisation`() async throws {
        let fixture = try await start()
        let server = fixture.server
        let browser = server.browser()
        let stranger = try await browser.submit(
            try await server.loginPage(browser), ["username": Self.name, "password": "wrong"])
        #expect(stranger.status == 422 && !stranger.body.contains("t1-sso"))
        #expect(
            isRefused(
                try await browser.submit(
                    try await server.loginPage(browser), ["username": Self.name, "password": TestServer.password])))
        let sent = try await server.askForCode(browser)
        #expect(sent.page == "code" && !sent.body.contains("t1-sso"))
        let code = try #require(try await server.message(to: Self.name).code)
        #expect(isRefused(try await browser.submit(sent, ["code": code])))
        // Another provider, even with a linked identity.
        try await link(fixture, at: "social")
        #expect(isRefused(try await fixture.pass(browser, at: "social")))
        // Recovery of the password.
        let reset = try await browser.submit(try await server.openReset(browser), ["username": Self.name])
        let resetCode = try #require(try await server.message(to: Self.name).code)
        #expect(isRefused(try await browser.submit(reset, ["code": resetCode])))
        #expect(try await events(server, .signedIn) == 0)
        try await link(fixture, at: "t1-sso")
        #expect(try FederationFixture.hasCode(try await fixture.pass(browser, at: "t1-sso")))
        await server.stop()
    }

    @Test func `F-35: the methods' wire refuses, and the organisation's sign-in has its rights`() async throws {
        let fixture = try await start()
        let server = fixture.server
        let password = try await server.call(
            "password/signin", ["loginId": .string(Self.name), "password": .string(TestServer.password)])
        #expect(password.status == 403)
        let wrong = try await server.call(
            "password/signin", ["loginId": .string(Self.name), "password": "wrong"])
        let unknown = try await server.call(
            "password/signin", ["loginId": "nobo@example.com", "password": "wrong"])
        #expect(wrong.status == unknown.status && wrong.body == unknown.body)
        #expect(try await server.signInByCode(Self.name).status == 403)
        await server.stop()
    }

    @Test func `F-35: a user who is excluded signs in, and each time is recorded`() async throws {
        let fixture = try await start(excluded: true)
        let server = fixture.server
        let answer = try await server.call(
            "password/signin", ["loginId": .string(Self.name), "password": .string(TestServer.password)])
        #expect(answer.status == 200)
        let claims = TestServer.claims(answer.json["sessionJwt"]?.stringValue.map(Secret.init))
        #expect(claims["tenants"]?["T1"] != nil)
        #expect(try await events(server, .singleSignOnBypassed) == 1)
        let byName = try await server.manage(
            "tenant/update", ["id": "T1", "name": "T1", "enforceSSOExclusions": [.string(Self.name)]])
        #expect(byName.status == 400)
        await server.stop()
    }

    @Test func `F-31: a user of another tenant keeps every way in, without the tenant that requires its own`()
        async throws
    {
        let fixture = try await start(others: ["T2"])
        let server = fixture.server
        let answer = try await server.call(
            "password/signin", ["loginId": .string(Self.name), "password": .string(TestServer.password)])
        #expect(answer.status == 200)
        let claims = TestServer.claims(answer.json["sessionJwt"]?.stringValue.map(Secret.init))
        #expect(claims["tenants"]?["T1"] == nil && claims["tenants"]?["T2"] != nil && claims["dct"] == "T2")
        await server.stop()
    }

    @Test func `F-35: a session from before is not enough for a new authorization`() async throws {
        let fixture = try await start(excluded: true)
        let server = fixture.server
        let browser = server.browser()
        let done = try await browser.submit(
            try await server.loginPage(browser), ["username": Self.name, "password": TestServer.password])
        #expect(try FederationFixture.hasCode(done))
        #expect(try FederationFixture.hasCode(try await server.loginPage(browser)))
        let changed = try await server.manage(
            "tenant/update", ["id": "T1", "name": "T1", "enforceSSOExclusions": []])
        #expect(changed.status == 200 && changed.json["enforceSSO"] == true)
        #expect(try await server.loginPage(browser).page == "login")
        await server.stop()
    }
}
