import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Signing in at an organisation's own provider")
struct TenantConnectionTests {
    private static let tenant = Tenant(id: "T1", name: "A", createdAt: UnixTime(rawValue: 0))

    private static func start(_ profile: FederatedProfile) async throws -> FederationFixture {
        try await FederationFixture.start(
            profile, [.scripted("a-sso", tenant: "T1", domains: ["a.example"])], tenants: [tenant])
    }

    @Test func `an address leads to the organisation's provider, and its user joins the organisation`() async throws {
        let fixture = try await Self.start(.person(email: "kim@a.example", groups: ["staff"]))
        let browser = fixture.server.browser()
        let page = try await fixture.server.loginPage(browser)
        #expect(page.body.contains("Continue with your organisation"))
        let gone = try await browser.submit(page, ["username": "kim@a.example", "action": "organisation"])
        #expect(gone.page == "departure" && gone.status == 200)
        let back = try await fixture.comeBack(browser, try FederationFixture.handle(gone), to: "a-sso")
        #expect(try FederationFixture.hasCode(back))
        let account = try #require(try await fixture.server.account("kim@a.example"))
        #expect(account.memberships.tenants["T1"] != nil && account.isEmailVerified)
        await fixture.server.stop()
    }

    @Test func `F-34: an address of no organisation has the same answer whoever has it`() async throws {
        let fixture = try await Self.start(.person())
        let browser = fixture.server.browser()
        var bodies: [String] = []
        for name in [TestServer.username, "nowhere@example.com"] {
            let page = try await fixture.server.loginPage(browser)
            let answer = try await browser.submit(page, ["username": name, "action": "organisation"])
            #expect(answer.status == 422)
            bodies.append(answer.body.contains("No organisation uses this address") ? "none" : answer.body)
        }
        #expect(bodies == ["none", "none"])
        await fixture.server.stop()
    }

    @Test func `F-29, F-33: a provider vouches for its organisation's domain alone`() async throws {
        for email in ["ceo@b.example", "kim@evila.example", "kim@a.example.evil.example", "kim@a.example."] {
            let fixture = try await Self.start(.person(email: email))
            let page = try await fixture.pass(fixture.server.browser(), at: "a-sso")
            #expect(page.page == "login", "\(email)")
            #expect(try await fixture.holder(at: "a-sso") == nil, "\(email)")
            await fixture.server.stop()
        }
    }

    @Test func `F-31: a personal account from before joins only when its owner signs in to it`() async throws {
        let fixture = try await Self.start(.person(email: "old@a.example"))
        let server = fixture.server
        let email = try #require(Identifier(loginID: "old@a.example"))
        let id = UserID(rawValue: "33333333-3333-4333-8333-333333333333")
        try await server.services.stores.users.create(
            Account(
                user: User(id: id, createdAt: server.clock.now, updatedAt: server.clock.now),
                identifiers: [email: .verified],
                passwordHash: try await server.services.passwords.hash(Secret("the-owner-s-password"))))
        let browser = server.browser()
        let page = try await fixture.pass(browser, at: "a-sso")
        #expect(page.page == "login")
        #expect(try await server.services.stores.users.account(id)?.memberships.tenants.isEmpty == true)
        let done = try await server.complete(
            page, in: browser, username: "old@a.example", password: "the-owner-s-password")
        #expect(try FederationFixture.hasCode(done))
        #expect(try await server.services.stores.users.account(id)?.memberships.tenants["T1"] != nil)
        #expect(try await fixture.holder(at: "a-sso") == id)
        await server.stop()
    }
}
