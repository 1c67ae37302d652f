import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Settings that an app opens in its own session")
struct AppSessionTokenTests {
    private static let app = TestClients.tool
    private static let cookie = "keyturn-app-session"

    private func token(
        _ refreshToken: String?, _ server: TestServer, proof: String? = nil
    ) async throws -> EndpointAnswer {
        let headers = [("Content-Type", "application/json")] + (proof.map { [("DPoP", $0)] } ?? [])
        let body: JSONValue = ["refresh_token": .string(refreshToken ?? "")]
        return try await server.send(
            "POST", "/oauth2/app_session_token", headers: headers,
            body: String(decoding: body.serialized, as: UTF8.self))
    }

    /// The hint of a session without a key.
    private func hint(_ tokens: TokenResponse, _ server: TestServer) async throws -> String {
        try Self.hint(try await token(tokens.refreshToken, server))
    }

    private static func hint(_ answer: EndpointAnswer) throws -> String {
        let token = try #require(answer.json["result"]?["app_session_token"]?.stringValue, "\(answer.body)")
        return AuthgearNames.loginHint([("type", "app_session_token"), ("app_session_token", token)])
    }

    private func open(
        _ hint: String, _ server: TestServer, in browser: ScriptedBrowser, page: String? = nil,
        client: Client = app
    ) async throws -> ScriptedBrowser.Screen {
        let form = FormParameters([
            "response_type": "none", "client_id": client.id, "scope": "openid", "prompt": "none",
            "redirect_uri": page ?? "\(server.issuer)/settings?ui_locales=de&x_color_scheme=dark", "login_hint": hint,
        ])
        return try await browser.open("/oauth2/authorize?\(form.encoded)")
    }

    private func isSignedIn(_ screen: ScriptedBrowser.Screen) -> Bool { screen.page == "settings" }

    @Test func `pages open signed in, once, in the settings alone, in the app's language`() async throws {
        let server = try await TestServer.start()
        let hint = try await hint(try await server.tokens(Self.app), server)
        let browser = server.browser()
        let page = try await open(hint, server, in: browser)
        #expect(!page.body.contains("href=\"/logout\""), "the session ends in the app")
        #expect(isSignedIn(page) && page.body.contains("lang=\"de\"") && page.body.contains("data-theme=\"dark\""))
        #expect(isSignedIn(try await browser.open("/settings")))
        #expect(browser.cookieJar["keyturn-session"] == nil && browser.cookieJar[Self.cookie] != nil)
        // It is no sign-in to an app, and shows no page but the settings.
        var request = server.request(TestClients.portal, proof: PKCE(ambient: .live))
        request.prompt = "none"
        let refused = try #require(try TestServer.callback(try await server.authorize(request, in: browser)))
        guard case .refused(let problem) = refused.outcome else { throw TestFailure("not refused") }
        #expect(problem.code == .loginRequired)
        #expect(try await server.audited().contains("app_session.opened"))
        let again = try await open(hint, server, in: server.browser())
        #expect(again.page == "login", "the token counts once")
        // It is not listed as a browser, and a newer one of the same app ends it.
        let second = server.browser()
        #expect(
            isSignedIn(
                try await open(try await self.hint(try await server.tokens(Self.app), server), server, in: second)))
        #expect(
            try await server.services.stores.sessions.sessions(
                of: TestServer.subject, limit: 10, at: server.clock.now
            ).allSatisfy { $0.session.openedBy == nil })
        await server.stop()
    }

    @Test func `its end is that of the app's session`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(Self.app)
        let (hint, late) = (try await hint(tokens, server), try await hint(tokens, server))
        let browser = server.browser()
        #expect(isSignedIn(try await open(hint, server, in: browser)))
        _ = try await server.post("/oauth2/revoke", FormParameters(["token": tokens.refreshToken]), as: Self.app)
        #expect(try await browser.open("/settings").page == "login")
        #expect(try await open(late, server, in: server.browser()).page == "login")
        #expect(try await token(tokens.refreshToken, server).status == 403)
        await server.stop()
    }

    @Test func `tokens that are old, another app's, or from before a sign-out everywhere open nothing`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(Self.app)
        let (old, foreign) = (try await hint(tokens, server), try await hint(tokens, server))
        #expect(try await open(foreign, server, in: server.browser(), client: TestClients.portal).page == "login")
        server.clock.advance(300)
        #expect(try await open(old, server, in: server.browser()).page == "login")
        let before = try await hint(tokens, server)
        let owner = try #require(try await server.account(TestServer.username))
        try await server.services.stores.sessions.endOthers(
            of: owner.user.id, keeping: SessionID(rawValue: "none"), at: server.clock.now)
        #expect(try await open(before, server, in: server.browser()).page == "login")
        for hint in ["", "x", String(repeating: "A", count: 900)] {
            let wrong = AuthgearNames.loginHint([("type", "app_session_token"), ("app_session_token", hint)])
            #expect(try await open(wrong, server, in: server.browser()).page == "login")
        }
        await server.stop()
    }

    @Test func `a token for a bound session needs a proof of its key`() async throws {
        let server = try await TestServer.start()
        let (prover, thief) = (Prover(server), Prover(server))
        let tokens = try await prover.tokens(Self.app)
        let path = "/oauth2/app_session_token"
        #expect(try await token(tokens.refreshToken, server).error == "invalid_dpop_proof")
        let stolen = try await token(tokens.refreshToken, server, proof: try thief.proof(path: path))
        #expect(stolen.error == "invalid_dpop_proof")
        let proof = try prover.proof(path: path)
        let hint = try Self.hint(try await token(tokens.refreshToken, server, proof: proof))
        #expect(try await token(tokens.refreshToken, server, proof: proof).error == "invalid_dpop_proof", "counts once")
        #expect(isSignedIn(try await open(hint, server, in: server.browser())))
        await server.stop()
    }

    @Test(arguments: [
        "https://evil.example/settings", "ISSUER.evil.example/settings", "ISSUER/login", "ISSUER/settings/../logout",
        "ISSUER/settingsx", "ISSUER//evil.example/settings", "ISSUER/settings/%2e%2e/logout", "ISSUER",
    ])
    func `an address that is no page of the settings is not opened`(_ page: String) async throws {
        let server = try await TestServer.start()
        let hint = try await hint(try await server.tokens(Self.app), server)
        let address = page.hasPrefix("ISSUER") ? server.issuer + page.dropFirst(6) : page
        let browser = server.browser()
        let refused = try await open(hint, server, in: browser, page: address)
        #expect(refused.status == 400 && refused.page == "error" && browser.cookieJar[Self.cookie] == nil)
        await server.stop()
    }

    @Test func `18: a link that would show another person's account to a signed-in user shows none`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let hint = try await hint(try await server.tokens(Self.app), server)
        let browser = server.browser()
        let own = try await server.visit("/settings", in: browser, as: "bea@example.com")
        #expect(isSignedIn(own))
        let refused = try await open(hint, server, in: browser)
        #expect(refused.status == 409 && refused.page == "error" && browser.cookieJar[Self.cookie] == nil)
        #expect(isSignedIn(try await browser.open("/settings")))
        await server.stop()
    }

    @Test func `a password is changed in the app's session, which goes on, and others end`() async throws {
        let server = try await TestServer.start()
        let app = try await server.tokens(Self.app)
        let elsewhere = try await server.tokens(Self.app)
        let proof = PKCE(ambient: .live)
        var request = server.request(Self.app, proof: proof)
        request.responseType = SettingsAction.responseType
        request.idTokenHint = app.idToken
        request.prompt = "none"
        request.loginHint = try await hint(app, server)
        request.extra.append(SettingsAction.parameter, "change_password")
        let browser = server.browser()
        let page = try await server.authorize(request, in: browser)
        #expect(page.page == "settings-password")
        let done = try await server.send(
            page, in: browser,
            ["current_password": TestServer.password, "password": "another-long-password", "end_others": "true"])
        let response = try #require(try TestServer.callback(done), "\(done.page ?? "")")
        guard case .code = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        #expect(try await server.refresh(app.refreshToken, Self.app).status == 200)
        #expect(try await server.refresh(elsewhere.refreshToken, Self.app).error == "invalid_grant")
        #expect(isSignedIn(try await browser.open("/settings")), "with the new cookie")
        await server.stop()
    }

    @Test func `everything else is signed out from the app's settings, and the app is not`() async throws {
        let server = try await TestServer.start()
        let (app, elsewhere) = (try await server.tokens(Self.app), try await server.tokens(TestClients.portal))
        let browser = server.browser()
        #expect(isSignedIn(try await open(try await hint(app, server), server, in: browser)))
        let sessions = try await browser.open("/settings/sessions")
        let done = try await server.send(sessions, in: browser, ["action": "end-others"])
        #expect(done.page == "settings-sessions" && done.hasNotice, "\(done.page ?? "") \(done.status)")
        #expect(try await server.refresh(app.refreshToken, Self.app).status == 200)
        #expect(try await server.refresh(elsewhere.refreshToken, TestClients.portal).error == "invalid_grant")
        await server.stop()
    }

    @Test func `a sign-in that is too old is asked for again, and then this browser's session counts`() async throws {
        let server = try await TestServer.start()
        let tokens = try await server.tokens(Self.app)
        server.clock.advance(Limits.sensitiveSeconds)
        let browser = server.browser()
        #expect(isSignedIn(try await open(try await hint(tokens, server), server, in: browser)))
        let asked = try await browser.open("/settings/password")
        #expect(asked.page == "login")
        let page = try await server.complete(asked, in: browser)
        #expect(page.page == "settings-password")
        await server.stop()
    }

    @Test(arguments: ["", "{", "[]", "{}", #"{"refresh_token":1}"#, #"{"refresh_token":"x","more":1}"#])
    func `a body of another form is refused`(_ body: String) async throws {
        let server = try await TestServer.start()
        let answer = try await server.send(
            "POST", "/oauth2/app_session_token", headers: [("Content-Type", "application/json")], body: body)
        #expect(answer.status == 400 && answer.json["error"]?["reason"] == "ValidationFailed")
        await server.stop()
    }
}
