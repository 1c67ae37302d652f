import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

@Suite("Journeys whose last form is sent again")
struct JourneyReplayTests {
    /// As far as the last form, the terms.
    private func lastForm(_ fixture: JourneyFixture, _ browser: ScriptedBrowser, proof: PKCE? = nil) async throws
        -> ScriptedBrowser.Screen
    {
        try await lastForm(fixture, browser, try await fixture.open("profile", browser, proof: proof))
    }

    private func lastForm(_ fixture: JourneyFixture, _ browser: ScriptedBrowser, _ first: ScriptedBrowser.Screen)
        async throws -> ScriptedBrowser.Screen
    {
        let asked = try await fixture.passPassword(first, browser)
        let terms = try await browser.submit(
            asked, ["field-company": "Acme", "field-birthdate": "1990-02-03", "field-size": ""])
        #expect(terms.body.contains("Version 2"), "\(terms.page ?? terms.url)")
        return terms
    }

    private func sessions(_ fixture: JourneyFixture) async throws -> [SessionID] {
        try await fixture.server.services.stores.sessions.sessions(
            of: TestServer.subject, limit: 10, at: fixture.server.clock.now
        ).map(\.session.id)
    }

    @Test func `J-10: in another browser it gives no code and opens no session`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let browser = fixture.server.browser()
        let terms = try await lastForm(fixture, browser)
        #expect(try FederationFixture.hasCode(try await browser.submit(terms, ["action": "accept"])))
        let sessions = try await sessions(fixture)
        let empty = fixture.server.browser()
        let visited = fixture.server.browser()
        _ = try await fixture.server.loginPage(visited)
        try await fixture.server.addBea()
        let bea = fixture.server.browser()
        _ = try await fixture.server.visit("/settings", in: bea, as: "bea@example.com")
        for other in [empty, visited, bea] {
            let cookie = other.cookieJar["keyturn-session"]
            let screen = try await other.submit(terms, ["action": "accept"])
            #expect(screen.page == "error" && screen.header("location") == nil)
            #expect(try await other.open(terms.url).page == "error")
            #expect(other.cookieJar["keyturn-session"] == cookie)
        }
        #expect(try await self.sessions(fixture) == sessions)
        await fixture.server.stop()
    }

    @Test func `in the same browser it says of the user what the first time said`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let browser = fixture.server.browser()
        let proof = PKCE(ambient: .live)
        let terms = try await lastForm(fixture, browser, proof: proof)
        let first = try await browser.submit(terms, ["action": "accept"])
        let one = try await fixture.server.claims(of: first, proof: proof)
        fixture.server.clock.advance(60)
        let second = try await browser.submit(terms, ["action": "accept"])
        let two = try await fixture.server.claims(of: second, proof: proof)
        #expect(one["sub"] == .string(TestServer.subject.rawValue))
        for name in ["sub", "amr", "acr", "auth_time"] { #expect(one[name] == two[name], "\(name)") }
        #expect(try await sessions(fixture).count == 1, "one browser has one session")
        // Each code counts once, as ever.
        guard case .code(let code)? = try TestServer.callback(second)?.outcome else { throw TestFailure("no code") }
        #expect(try await fixture.server.redeem(code, TestClients.portal, proof: proof).error == "invalid_grant")
        await fixture.server.stop()
    }

    @Test func `a request that was pushed is answered once`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let browser = fixture.server.browser()
        var request = fixture.server.request(TestClients.portal, proof: PKCE(ambient: .live))
        request.extra.append("journey", "profile")
        let pushed = try await fixture.server.push(request, as: TestClients.portal)
        let reference = try #require(pushed.json["request_uri"]?.stringValue, "\(pushed.body)")
        let page = try await fixture.server.visit(reference, "portal", in: browser)
        let terms = try await lastForm(fixture, browser, page)
        #expect(try FederationFixture.hasCode(try await browser.submit(terms, ["action": "accept"])))
        let again = try await browser.submit(terms, ["action": "accept"])
        #expect(try !FederationFixture.hasCode(again))
        await fixture.server.stop()
    }

    @Test func `J-10: after the sign-out it opens no session`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let browser = fixture.server.browser()
        let terms = try await lastForm(fixture, browser)
        #expect(try FederationFixture.hasCode(try await browser.submit(terms, ["action": "accept"])))
        let question = try await browser.open("/oauth2/end_session")
        let left = try await browser.submit(question, ["action": "logout"])
        #expect(left.page == "signed-out", "\(left.page ?? left.url)")
        let again = try await browser.submit(terms, ["action": "accept"])
        #expect(again.page == "error" && again.header("location") == nil, "\(again.header("location") ?? "")")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        #expect(try await sessions(fixture).isEmpty)
        await fixture.server.stop()
    }

    @Test func `J-10: it stands for its own user, whoever signed in since`() async throws {
        let fixture = try await JourneyFixture.start([.profile])
        let server = fixture.server
        try await server.addBea()
        let browser = server.browser()
        let proof = PKCE(ambient: .live)
        let terms = try await lastForm(fixture, browser, proof: proof)
        #expect(try FederationFixture.hasCode(try await browser.submit(terms, ["action": "accept"])))
        let login = try await fixture.open("profile", browser, prompt: "login")
        let asked = try await browser.submit(
            login, ["username": "bea@example.com", "password": TestServer.password])
        #expect(asked.page == "journey-step", "\(asked.page ?? asked.url)")
        // Bea is not in yet, and nothing of the other record counts for her.
        let replayed = try await browser.submit(terms, ["action": "accept"])
        if try FederationFixture.hasCode(replayed) {
            #expect(
                try await server.claims(of: replayed, proof: proof)["sub"] == .string(TestServer.subject.rawValue))
        }
        let bea = try #require(try await server.account("bea@example.com"))
        #expect(bea.user.acceptances.isEmpty && bea.user.attributes.isEmpty)
        #expect(try await browser.open(asked.url).page == "journey-step", "she is still asked")
        await server.stop()
    }

    @Test func `two tabs of one request end in one account, and the second asks nothing that the first settled`()
        async throws
    {
        let fixture = try await JourneyFixture.start([.profile])
        let browser = fixture.server.browser()
        let proof = PKCE(ambient: .live)
        let first = try await fixture.open("profile", browser, proof: proof)
        let terms = try await lastForm(fixture, browser, first)
        #expect(try FederationFixture.hasCode(try await browser.submit(terms, ["action": "accept"])))
        // The first page again: the session has done everything.
        let tab = try await browser.open(first.url)
        #expect(try await fixture.server.claims(of: tab, proof: proof)["acr"] == "urn:example:known")
        // Its form again: another sign-in, which leaves out what is stored, and asks once more for what is optional.
        let typed = try await fixture.passPassword(first, browser)
        #expect(typed.body.contains("field-size") && !typed.body.contains("field-company"))
        #expect(try FederationFixture.hasCode(try await browser.submit(typed, ["action": "skip"])))
        #expect(try await sessions(fixture).count == 1)
        await fixture.server.stop()
    }
}
