import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Settings: apps with access")
struct SettingsAppTests {
    private func grants(_ server: TestServer) async throws -> [Grant] {
        try await server.services.stores.grants.grants(of: TestServer.subject, limit: 10, at: server.clock.now)
    }

    /// The values of the forms' fields, in pairs.
    private func forms(_ page: ScriptedBrowser.Screen) -> [(kind: String, id: String)] {
        zip(page.hidden("kind"), page.hidden("id")).map { (kind: $0, id: $1) }
    }

    @Test func `an app is named once, with what it may do and a row for each sign-in`() async throws {
        let server = try await TestServer.start()
        _ = try await server.tokens(TestClients.portal, in: server.browser()) { $0.scope = "openid profile" }
        server.clock.advance(7_200)
        _ = try await server.tokens(TestClients.portal, in: server.browser()) { $0.scope = "openid email phone" }
        _ = try await server.tokens(TestClients.tool, in: server.browser()) { $0.scope = "openid" }
        let page = try await server.visit("/settings/sessions", in: server.browser())
        #expect(page.body.matches(of: #/<h3>Client portal<\/h3>/#).count == 1)
        #expect(page.body.matches(of: #/<li>Know that it is you<\/li>/#).count == 2, "once for each app")
        for permission in ["See your name and profile", "See your email address", "See your phone number"] {
            #expect(page.body.matches(of: try Regex("<li>\(permission)</li>")).count == 1)
        }
        #expect(page.body.contains("<summary>4 permissions</summary>"))
        #expect(page.body.contains("signed in 2 hours ago, last used 2 hours ago"))
        let found = forms(page)
        #expect(found.count { $0.kind == "grant" } == 3)
        #expect(Set(found.filter { $0.kind == "grant" }.map(\.id)) == Set(try await grants(server).map(\.id.text)))
        #expect(found.filter { $0.kind == "app" }.map(\.id) == ["portal"], "one sign-in has one button")
        await server.stop()
    }

    @Test func `signing out of an app ends each of its sign-ins, and no other app's`() async throws {
        let server = try await TestServer.start()
        let first = try await server.tokens(TestClients.portal, in: server.browser())
        let second = try await server.tokens(TestClients.portal, in: server.browser())
        let kept = try await server.tokens(TestClients.tool, in: server.browser())
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        let done = try await server.send(page, in: browser, ["action": "end", "kind": "app", "id": "portal"])
        #expect(done.hasNotice && !done.body.contains("Client portal") && done.body.contains("Client tool"))
        for tokens in [first, second] {
            #expect(try await server.refresh(tokens.refreshToken, TestClients.portal).error == "invalid_grant")
        }
        #expect(try await server.refresh(kept.refreshToken, TestClients.tool).status == 200)
        #expect(try await grants(server).map(\.clientID) == ["tool"])
        let again = try await server.send(page, in: browser, ["action": "end", "kind": "app", "id": "no-such-app"])
        #expect(again.status == 200 && again.body.contains("Client tool"))
        await server.stop()
    }

    @Test func `somebody else's sign-ins to the same app stay`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let bea = server.browser()
        _ = try await server.visit("/settings", in: bea, as: "bea@example.com")
        let proof = PKCE(ambient: .live)
        let response = try await server.signIn(TestClients.portal, proof: proof, in: bea)
        guard case .code(let code) = response.outcome else { throw TestFailure("refused") }
        let redeemed = try await server.redeem(code, TestClients.portal, proof: proof)
        let browser = server.browser()
        let page = try await server.visit("/settings/sessions", in: browser)
        _ = try await server.send(page, in: browser, ["action": "end", "kind": "app", "id": "portal"])
        #expect(
            try await server.refresh(redeemed.json["refresh_token"]?.stringValue, TestClients.portal).status == 200)
        await server.stop()
    }

    @Test func `what cannot be undone looks dangerous`() async throws {
        let server = try await TestServer.start()
        for _ in 0..<2 { _ = try await server.tokens(TestClients.portal, in: server.browser()) }
        let browser = server.browser()
        let overview = try await server.visit("/settings", in: browser)
        #expect(overview.body.contains("<a href=\"/settings/delete\" class=\"danger\">"))
        let sessions = try await browser.open("/settings/sessions")
        for label in ["Sign out of this app", "Sign out everywhere else"] {
            let button = try Regex("<button class=\"small danger\"[^>]*>\(label)")
            #expect(sessions.body.firstMatch(of: button) != nil, "\(label)")
        }
        #expect(try await browser.open("/settings/delete").body.contains("<button class=\"primary danger\""))
        await server.stop()
    }
}
