import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("A provider tells that its user signed out")
struct ProviderLogoutTests {
    private static func person(_ subject: String, _ session: String?) -> FederatedProfile {
        var profile = FederatedProfile.person(subject, email: nil)
        profile.session = session
        return profile
    }

    private func notify(_ fixture: FederationFixture, _ token: String?, at connection: String = "acme") async throws
        -> EndpointAnswer
    {
        try await fixture.server.send(
            "POST", "/federation/\(connection)/logout",
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: token.map { FormParameters(["logout_token": $0]).encoded } ?? "")
    }

    /// Signs a user in at a connection.
    private func pass(
        _ fixture: FederationFixture, _ subject: String, _ session: String?, at connection: String = "acme"
    ) async throws -> UserID {
        fixture.provider.says(Self.person(subject, session))
        #expect(try await FederationFixture.hasCode(fixture.pass(fixture.server.browser(), at: connection)))
        return try #require(try await fixture.holder(subject, at: connection))
    }

    private func count(_ fixture: FederationFixture, _ user: UserID) async throws -> Int {
        let services = fixture.server.services
        return try await services.stores.sessions.sessions(of: user, limit: 9, at: services.ambient.now()).count
    }

    @Test func `F-47: the sessions of the provider's session end, and no others`() async throws {
        let fixture = try await FederationFixture.start(.person(), [.scripted(), .scripted("other")])
        let jane = try await pass(fixture, "jane", "s-1")
        _ = try await pass(fixture, "jane", "s-2")
        let bob = try await pass(fixture, "bob", "s-1")
        let elsewhere = try await pass(fixture, "jane", "s-1", at: "other")
        #expect(try await count(fixture, jane) == 2)
        let answer = try await notify(fixture, "n-1 jane s-1")
        #expect(answer.status == 200 && answer.headers["Cache-Control"] ?? "no-store" == "no-store")
        #expect(try await count(fixture, jane) == 1)
        #expect(try await count(fixture, bob) == 1)
        #expect(try await count(fixture, elsewhere) == 1)
        #expect(try await notify(fixture, "n-2 jane -").status == 200)
        #expect(try await count(fixture, jane) == 0)
        #expect(try await count(fixture, elsewhere) == 1)
        #expect(try await notify(fixture, "n-3 - s-1").status == 200)
        #expect(try await count(fixture, bob) == 0)
        #expect(try await count(fixture, elsewhere) == 1)
        _ = try await fixture.server.services.auditLog.flush()
        let events = try await fixture.server.services.stores.audit.search(AuditQuery())
        #expect(events.count { $0.kind == .sessionEnded && $0.reason == "provider" && $0.target == "acme" } == 3)
        await fixture.server.stop()
    }

    @Test func `F-47: a notice counts once, and what is none ends nothing`() async throws {
        let fixture = try await FederationFixture.start()
        let jane = try await pass(fixture, "jane", "s-1")
        for token in [nil, "", "nonsense", "n-0 unknown -"] {
            let status = try await notify(fixture, token).status
            #expect(status == (token == "n-0 unknown -" ? 200 : 400))
        }
        #expect(try await notify(fixture, "n-1 jane -", at: "nobody").status == 400)
        #expect(try await count(fixture, jane) == 1)
        #expect(try await notify(fixture, "n-1 jane -").status == 200)
        #expect(try await count(fixture, jane) == 0)
        _ = try await pass(fixture, "jane", "s-9")
        #expect(try await notify(fixture, "n-1 jane -").status == 400)
        #expect(try await count(fixture, jane) == 1)
        await fixture.server.stop()
    }

    @Test(arguments: [false, true])
    func `a page that waits opens no session after a sign-out at the provider`(_ isOver: Bool) async throws {
        let fixture = try await FederationFixture.start(.person("jane", email: TestServer.username))
        let authenticator = try await fixture.server.giveAuthenticator()
        let browser = fixture.server.browser()
        let page = try await fixture.pass(browser)
        #expect(page.page == "code")
        if isOver { #expect(try await notify(fixture, "n-1 jane -").status == 200) }
        let code = authenticator.code(at: fixture.server.clock.now).exposed()
        #expect(try FederationFixture.hasCode(try await browser.submit(page, ["code": code])) != isOver)
        #expect((browser.cookieJar["keyturn-session"] == nil) == isOver)
        await fixture.server.stop()
    }
}
