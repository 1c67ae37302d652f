import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("An app that asks for an organisation's connection")
struct AskedOrganisationTests {
    private static func start() async throws -> FederationFixture {
        try await FederationFixture.start(
            .person("1", email: "kim@a.example"),
            [
                .scripted("a-sso", tenant: "T1", domains: ["a.example"]),
                .scripted("b-sso", tenant: "T2", domains: ["b.example"]), .scripted("social"),
            ], tenants: ["T1", "T2"].map { Tenant(id: $0, name: $0, createdAt: UnixTime(rawValue: 0)) })
    }

    private static func ask(
        _ fixture: FederationFixture, _ browser: ScriptedBrowser, _ connection: String, prompt: String? = nil
    ) async throws -> ScriptedBrowser.Screen {
        try await fixture.server.loginPage(browser) {
            $0.extra.append("connection", connection)
            $0.prompt = prompt
        }
    }

    @Test func `a session of another organisation is not an answer; one of its own is`() async throws {
        let fixture = try await Self.start()
        let browser = fixture.server.browser()
        #expect(try FederationFixture.hasCode(try await fixture.pass(browser, at: "a-sso")))
        #expect(try FederationFixture.hasCode(try await Self.ask(fixture, browser, "a-sso")))
        let gone = try await Self.ask(fixture, browser, "b-sso")
        #expect(gone.header("location")?.hasPrefix("https://provider.example/") == true)
        fixture.provider.says(.person("2", email: "kim@b.example"))
        let end = try await fixture.comeBack(browser, try FederationFixture.handle(gone), to: "b-sso")
        #expect(try FederationFixture.hasCode(end))
        #expect(try await fixture.holder("2", at: "b-sso") != fixture.holder("1", at: "a-sso"))
        #expect(try FederationFixture.hasCode(try await Self.ask(fixture, browser, "b-sso")))
        await fixture.server.stop()
    }

    @Test func `prompt=none says that a sign-in is needed`() async throws {
        let fixture = try await Self.start()
        let browser = fixture.server.browser()
        _ = try await fixture.pass(browser, at: "a-sso")
        let answer = try TestServer.callback(try await Self.ask(fixture, browser, "b-sso", prompt: "none"))
        guard case .refused(let problem) = answer?.outcome else { throw TestFailure("\(answer as Any)") }
        #expect(problem.code == .loginRequired)
        await fixture.server.stop()
    }

    @Test(arguments: ["connection", "x_oauth_provider_alias"])
    func `a pushed request asks for it as well`(_ name: String) async throws {
        let fixture = try await Self.start()
        let browser = fixture.server.browser()
        _ = try await fixture.pass(browser, at: "a-sso")
        for (connection, isAnswer) in [("a-sso", true), ("b-sso", false)] {
            var request = fixture.server.request(TestClients.portal, proof: nil)
            request.extra.append(name, connection)
            request.prompt = "none"
            let kept = try await fixture.server.push(request, as: TestClients.portal)
            let reference = try #require(kept.json["request_uri"]?.stringValue, "\(kept.body)")
            let screen = try await fixture.server.visit(reference, TestClients.portal.id, in: browser)
            let answer = try #require(try TestServer.callback(screen))
            #expect(isAnswer ? answer.code != nil : answer.refusal == .loginRequired)
        }
        await fixture.server.stop()
    }

    @Test func `a user who is not in the organisation signs in there; a member with another session goes on`()
        async throws
    {
        let fixture = try await Self.start()
        let browser = fixture.server.browser()
        _ = try await fixture.server.complete(try await fixture.server.loginPage(browser), in: browser)
        let gone = try await Self.ask(fixture, browser, "b-sso")
        #expect(gone.header("location")?.hasPrefix("https://provider.example/") == true)
        _ = try await fixture.server.services.stores.users.change(
            TestServer.subject, at: fixture.server.clock.now
        ) { $0.memberships.tenants["T2"] = [] }
        #expect(try FederationFixture.hasCode(try await Self.ask(fixture, browser, "b-sso")))
        await fixture.server.stop()
    }

    @Test(arguments: ["a-sso", "b-sso", "social"])
    func `prompt=login leads to the connection, and not to a page with a password`(_ connection: String) async throws {
        let fixture = try await Self.start()
        let browser = fixture.server.browser()
        _ = try await fixture.pass(browser, at: "a-sso")
        let gone = try await Self.ask(fixture, browser, connection, prompt: "login")
        #expect(gone.header("location")?.contains("forced=true") == true)
        // A provider that declines leads to the page, once, and the user may choose.
        fixture.provider.fails(ConnectionProblem(.cancelled, code: "access_denied"))
        let page = try await fixture.comeBack(browser, try FederationFixture.handle(gone), to: connection)
        #expect(page.page == "login")
        await fixture.server.stop()
    }
}
