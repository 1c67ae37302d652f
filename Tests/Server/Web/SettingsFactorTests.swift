import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// Sessions without the second factor of their user: they change nothing that is precious.
@Suite("Settings and the second factor")
struct SettingsFactorTests {
    /// The settings in a session of the methods, which was opened by a code of the mailbox alone.
    private func openByCode(_ server: TestServer, _ browser: ScriptedBrowser) async throws {
        let refresh = try #require(try await server.signInByCode(TestServer.username).refreshJWT)
        let answer = try await server.send(
            "POST", "/oauth2/app_session_token", headers: [("Content-Type", "application/json")],
            body: #"{"refresh_token":"\#(refresh)"}"#)
        let token = try #require(answer.json["result"]?["app_session_token"]?.stringValue, "\(answer.body)")
        let form = FormParameters([
            "response_type": "none", "client_id": TestClients.tool.id, "scope": "openid", "prompt": "none",
            "redirect_uri": "\(server.issuer)/settings",
            "login_hint": AuthgearNames.loginHint([("type", "app_session_token"), ("app_session_token", token)]),
        ])
        #expect(try await browser.open("/oauth2/authorize?\(form.encoded)").page == "settings")
    }

    /// Whether a page asks for a sign-in, or for the second factor alone where the first one was given a moment ago.
    private func isAsked(_ screen: ScriptedBrowser.Screen) -> Bool {
        screen.page == "login" || screen.url.contains("/login/authenticator")
    }

    /// Tries every change; each asks for the second factor.
    private func tryAll(_ server: TestServer, _ browser: ScriptedBrowser) async throws {
        let page = try await browser.open("/settings/authenticators")
        let id = try #require(page.hidden("id").first)
        for fields in [["action": "remove", "id": id], ["action": "renew-codes"]] as [KeyValuePairs<String, String?>] {
            #expect(isAsked(try await server.send(page, in: browser, fields)), "\(fields)")
        }
        let names = try await browser.open("/settings/identifiers")
        for fields in [
            ["action": "add", "identifier": "evil@example.com"],
            ["action": "remove", "kind": "email", "value": TestServer.username],
            ["action": "primary", "kind": "email", "value": TestServer.username],
        ] as [KeyValuePairs<String, String?>] {
            #expect(isAsked(try await server.send(names, in: browser, fields)), "\(fields)")
        }
        for path in ["password", "delete"] {
            #expect(isAsked(try await browser.open("/settings/\(path)")), "\(path)")
        }
        let account = try #require(try await server.account(TestServer.username))
        #expect(account.hasAuthenticator && account.user.id == TestServer.subject)
        #expect(try await server.messageCount(to: "evil@example.com") == 0)
        #expect(try await server.services.methods.recoveryCodes.count(of: TestServer.subject) == 0)
    }

    @Test func `an app's session of one factor changes nothing, and the factor opens the page`() async throws {
        let server = try await WireSecondFactorTests.start(AuthorityPolicy(passwordBesideSecondFactor: true))
        let authenticator = try await server.giveAuthenticator()
        let browser = server.browser()
        try await openByCode(server, browser)
        try await tryAll(server, browser)
        let page = try await browser.open("/settings/authenticators")
        let login = try await server.send(page, in: browser, ["action": "renew-codes"])
        let asked = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(asked.page == "code" && asked.url.contains("/login/authenticator"))
        let back = try await browser.submit(asked, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect(back.page == "settings-authenticators")
        #expect(try await server.send(back, in: browser, ["action": "renew-codes"]).page == "recovery-codes")
        await server.stop()
    }

    @Test func `a session that is older than the second factor changes nothing`() async throws {
        let server = try await TestServer.start()
        let thief = server.browser()
        #expect(try await server.visit("/settings/password", in: thief).page == "settings-password")
        _ = try await server.giveAuthenticator()
        try await tryAll(server, thief)
        await server.stop()
    }

    @Test func `the rules refuse a session of one factor, whichever page asks`() async throws {
        let server = try await TestServer.start()
        let account = try #require(try await server.account(TestServer.username))
        let (_, cookie) = try #require(
            try await server.services.signIn.openSession(
                for: account.user, .password(at: server.clock.now), replacing: nil))
        _ = try await server.giveAuthenticator()
        let settings = server.services.settings
        let owner = try #require(try await server.services.signIn.owner(of: cookie))
        let id = try #require(try await settings.authenticators(of: owner).first).id
        #expect(try await !settings.removeAuthenticator(id, of: owner))
        #expect(try await settings.renewRecoveryCodes(of: owner) == nil)
        #expect(try await settings.beginAuthenticator(of: owner) == nil)
        #expect(try await settings.authenticators(of: owner).count == 1)
        await server.stop()
    }
}
