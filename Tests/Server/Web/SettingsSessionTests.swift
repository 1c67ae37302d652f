import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Settings: where somebody is signed in")
struct SettingsSessionTests {
    private static let told = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
        $0.backchannelLogoutURI = "http://127.0.0.1:9001/logout"
    }

    @Test func `whoever is not signed in signs in without any app, and comes back`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let login = try await browser.open("/settings/sessions")
        #expect(login.page == "login" && login.url.contains("/login?transaction="))
        let wrong = try await browser.submit(login, ["username": TestServer.username, "password": "wrong"])
        #expect(wrong.page == "login" && wrong.status == 422)
        let page = try await browser.submit(
            wrong, ["username": TestServer.username, "password": TestServer.password])
        #expect(page.page == "settings-sessions" && page.url.hasSuffix("/settings/sessions"))
        let cancelled = try await server.browser().submit(login, ["action": "deny"])
        #expect(cancelled.page != "settings-sessions")
        await server.stop()
    }

    @Test func `every page is there for whoever has just signed in, and no row is written before`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        for (path, name) in [
            ("/settings", "settings"), ("/settings/profile", "settings-profile"),
            ("/settings/identifiers", "settings-identifiers"), ("/settings/password", "settings-password"),
            ("/settings/authenticators", "settings-authenticators"), ("/settings/sessions", "settings-sessions"),
            ("/settings/delete", "settings-delete"),
        ] {
            let screen = try await server.visit(path, in: browser)
            #expect(screen.page == name && screen.status == 200)
            #expect(screen.header("cache-control") == "no-store")
        }
        let grants = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        #expect(grants.isEmpty)
        await server.stop()
    }

    @Test func `an app that is ended is out at once, and is told`() async throws {
        let server = try await TestServer.start(clients: [Self.told])
        let tokens = try await server.tokens(Self.told)
        let kept = try await server.tokens(TestClients.portal)
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        #expect(page.body.contains("Client told") && page.body.contains("Client portal"))
        let ids = page.hidden("kind").enumerated().filter { $0.element == "grant" }.map { page.hidden("id")[$0.offset] }
        #expect(ids.count == 2)
        let grant = try #require(
            try await server.services.stores.grants.grants(of: TestServer.subject, limit: 10, at: server.clock.now)
                .first { $0.clientID == "told" })
        #expect(ids.contains(grant.id.text))
        let done = try await server.send(page, in: browser, ["action": "end", "kind": "grant", "id": grant.id.text])
        #expect(done.hasNotice && !done.body.contains("Client told") && done.body.contains("Client portal"))
        #expect(try await server.refresh(tokens.refreshToken, Self.told).error == "invalid_grant")
        let introspected = try await server.post(
            "/oauth2/introspect", FormParameters(["token": tokens.accessToken]), as: Self.told)
        #expect(introspected.json["active"]?.boolValue == false)
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
        #expect(try await server.refresh(kept.refreshToken, TestClients.portal).status == 200)
        #expect(try await server.logoutNotices().map(\.clientID) == ["told"])
        let asked = try await server.authorize(server.request(Self.told, proof: nil), in: browser)
        #expect(asked.page == "consent", "it has to ask again")
        #expect(try await server.audited().contains("grant.ended"))
        await server.stop()
    }

    @Test func `another browser that is ended is signed out at once, with what came from it`() async throws {
        let server = try await TestServer.start(clients: [Self.told])
        let other = server.browser()
        let tokens = try await server.tokens(Self.told, in: other) { $0.scope = "openid" }
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        let id = try #require(page.hidden("id").first)
        #expect(page.hidden("kind") == ["session", "grant"])
        let done = try await server.send(page, in: browser, ["action": "end", "kind": "session", "id": id])
        #expect(done.hasNotice)
        #expect(try await other.open("/settings").page == "login")
        #expect(try await server.refresh(tokens.refreshToken, Self.told).error == "invalid_grant")
        #expect(try await server.logoutNotices().map(\.sessionID.rawValue) == [id])
        #expect(try await browser.open("/settings").page == "settings")
        #expect(try await server.audited().contains("session.ended"))
        await server.stop()
    }

    @Test func `all others are ended at once, and only this browser stays`() async throws {
        let server = try await TestServer.start(clients: [Self.told])
        let other = server.browser()
        let offline = try await server.tokens(Self.told, in: other)
        let browser = server.browser()
        let own = try await server.tokens(TestClients.portal, in: browser)
        let page = try await server.visit("/settings/sessions", in: browser)
        let done = try await server.send(page, in: browser, ["action": "end-others"])
        #expect(done.hasNotice && done.page == "settings-sessions")
        #expect(try await other.open("/settings").page == "login")
        #expect(try await server.refresh(offline.refreshToken, Self.told).error == "invalid_grant")
        #expect(try await server.refresh(own.refreshToken, TestClients.portal).error == "invalid_grant")
        #expect(try await server.logoutNotices().map(\.clientID) == ["told"])
        await server.stop()
    }

    @Test func `somebody else's session and grant do not end, and the answer is the same`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let bea = server.browser()
        _ = try await server.visit("/settings", in: bea, as: "bea@example.com")
        let second = server.browser()
        _ = try await server.visit("/settings", in: second, as: "bea@example.com")
        let foreign = try #require(try await bea.open("/settings/sessions").hidden("id").first)
        let proof = PKCE(ambient: .live)
        let response = try await server.signIn(TestClients.portal, proof: proof, in: bea)
        guard case .code(let code) = response.outcome else { throw TestFailure("refused") }
        let redeemed = try await server.redeem(code, TestClients.portal, proof: proof)
        let grants = try await server.services.stores.grants.grants(
            of: UserID(rawValue: "22222222-2222-4222-8222-222222222222"), limit: 10, at: server.clock.now)
        let own = server.browser()
        _ = try await server.visit("/settings", in: own)
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        var answers: Set<String> = []
        for (kind, id) in [
            ("session", foreign), ("session", "no-such-session"), ("grant", try #require(grants.first).id.text),
            ("grant", "AAAAAAAAAAAAAAAAAAAAAA"), ("grant", "%"),
        ] {
            let answer = try await server.send(page, in: browser, ["action": "end", "kind": kind, "id": id])
            #expect(answer.status == 200)
            answers.insert(answer.body)
        }
        #expect(answers.count == 1)
        #expect(try await own.open("/settings").page == "settings")
        #expect(try await second.open("/settings").page == "settings")
        #expect(
            try await server.refresh(redeemed.json["refresh_token"]?.stringValue, TestClients.portal).status == 200)
        await server.stop()
    }

    @Test func `a form that another site sent changes nothing`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        let other = server.browser()
        _ = try await server.visit("/settings", in: other)
        for path in ["sessions", "profile", "password", "identifiers", "authenticators", "delete"] {
            var form = FormParameters(["action": "end-others", "confirm": "true", "name": "Mallory"])
            #expect(try await browser.post("/settings/\(path)", form).status == 403)
            form.append("csrf", page.hidden("csrf").first)
            let crossSite = [("Sec-Fetch-Site", "cross-site")]
            #expect(try await browser.post("/settings/\(path)", form, headers: crossSite).status == 403)
            guard path != "sessions" else { continue }
            #expect(try await browser.post("/settings/\(path)", form).status == 403, "the mark of another page")
        }
        #expect(try await other.open("/settings").page == "settings")
        #expect(try await server.account(TestServer.username)?.user.claims["name"] == "Andy Rhoads")
        await server.stop()
    }
}
