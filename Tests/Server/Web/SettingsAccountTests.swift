import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Settings: profile, password, deletion")
struct SettingsAccountTests {
    private static let fresh = "a-much-longer-passphrase"

    @Test func `a profile is saved, and what cannot be is said`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.visit("/settings/profile", in: browser)
        let saved = try await server.send(
            page, in: browser,
            [
                "name": "A. <b>Rhoads", "given_name": "Andrew", "family_name": "", "picture": "https://pic.test/a.png",
                "locale": "de",
            ])
        #expect(saved.hasNotice && saved.body.contains("A. &lt;b&gt;Rhoads") && saved.body.contains("lang=\"de\""))
        let claims = try #require(try await server.account(TestServer.username)).user.claims
        #expect(claims["given_name"] == "Andrew" && claims["family_name"] == nil)
        #expect(claims["picture"] == "https://pic.test/a.png" && claims["locale"] == "de")
        for (name, value) in [
            ("picture", "javascript:alert(1)"), ("picture", "http://pic.test/"), ("picture", "https://a\" onload=\"x"),
            ("name", String(repeating: "x", count: 257)),
        ] {
            let refused = try await server.send(page, in: browser, [name: value])
            #expect(refused.status == 422 && refused.hasProblem, "\(name) \(value)")
        }
        #expect(try await server.account(TestServer.username)?.user.claims == claims)
        #expect(try await server.audited().contains("profile.changed"))
        let event = try await server.services.stores.audit.search(AuditQuery()).first { $0.kind == .profileChanged }
        let name = event?.changes?.list.first { $0.field == "name" }
        #expect(name?.after == "A. <b>Rhoads")
        await server.stop()
    }

    @Test func `51 and 72: a new password ends everything else at once, and changes the cookie`() async throws {
        let server = try await TestServer.start()
        let other = server.browser()
        let tokens = try await server.tokens(TestClients.portal, in: other)
        let methods = try await server.session()
        let browser = server.browser()
        let page = try await server.visit("/settings/password", in: browser)
        let before = try #require(browser.cookieJar["keyturn-session"])
        let done = try await server.send(
            page, in: browser,
            ["current_password": TestServer.password, "password": Self.fresh, "end_others": "true"])
        #expect(done.hasNotice && done.page == "settings-password")
        let after = try #require(browser.cookieJar["keyturn-session"])
        #expect(after != before)
        let old = server.browser()
        old.cookieJar["keyturn-session"] = before
        #expect(try await old.open("/settings").page == "login")
        #expect(try await other.open("/settings").page == "login")
        #expect(try await server.refresh(tokens.refreshToken, TestClients.portal).error == "invalid_grant")
        #expect(try await server.get("/oauth2/userinfo", token: tokens.accessToken).status == 401)
        #expect(try await server.method("refresh", methods.refreshJWT?.exposed()).status == 401)
        let fresh = server.browser()
        #expect(try await server.visit("/settings", in: fresh).page == "login", "the old password")
        #expect(try await server.visit("/settings", in: fresh, password: Self.fresh).page == "settings")
        #expect(try await server.message(to: TestServer.username).kind == .passwordChanged)
        #expect(try await server.audited().contains("password.changed"))
        await server.stop()
    }

    @Test func `whoever asks to stay signed in elsewhere does`() async throws {
        let server = try await TestServer.start()
        let other = server.browser()
        let tokens = try await server.tokens(TestClients.portal, in: other)
        let browser = server.browser()
        let page = try await server.visit("/settings/password", in: browser)
        let done = try await server.send(
            page, in: browser, ["current_password": TestServer.password, "password": Self.fresh])
        #expect(done.hasNotice)
        #expect(try await other.open("/settings").page == "settings")
        #expect(try await server.refresh(tokens.refreshToken, TestClients.portal).status == 200)
        await server.stop()
    }

    @Test func `80 and 83: a wrong or bad password is refused, and guessing gets slow`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let page = try await server.visit("/settings/password", in: browser)
        for bad in ["short", "password1234", TestServer.username, TestServer.password] {
            let refused = try await server.send(
                page, in: browser, ["current_password": TestServer.password, "password": bad])
            #expect(refused.status == 422 && refused.body.contains("id=\"refusals\""), "\(bad)")
        }
        for _ in 0..<10 {
            let wrong = try await server.send(
                page, in: browser, ["current_password": "wrong", "password": Self.fresh])
            #expect(wrong.status == 422 && wrong.hasProblem)
        }
        let slow = try await server.send(
            page, in: browser, ["current_password": TestServer.password, "password": Self.fresh])
        #expect(slow.status == 429 && slow.header("retry-after") != nil)
        let stillOld = server.browser()
        server.clock.advance(901)
        #expect(try await server.visit("/settings", in: stillOld).page == "settings")
        await server.stop()
    }

    @Test func `a sign-in of ten minutes ago is asked for again before what is precious, and leads back`() async throws
    {
        let server = try await TestServer.start()
        let browser = server.browser()
        let opened = try await server.visit("/settings/password", in: browser)
        server.clock.advance(599)
        #expect(try await browser.open("/settings/password").page == "settings-password")
        server.clock.advance(1)
        for path in ["profile", "sessions", "identifiers", "authenticators"] {
            #expect(try await browser.open("/settings/\(path)").page == "settings-\(path)")
        }
        for path in ["password", "delete", "identifiers/code", "authenticators/add"] {
            #expect(try await browser.open("/settings/\(path)").page == "login", "\(path)")
        }
        let stale = try await server.send(
            opened, in: browser,
            ["current_password": TestServer.password, "password": Self.fresh, "end_others": "true"])
        #expect(stale.page == "login" && stale.body.contains("Andy Rhoads"))
        let codes = try await browser.open("/settings/authenticators")
        #expect(try await server.send(codes, in: browser, ["action": "add"]).page == "login")
        let names = try await browser.open("/settings/identifiers")
        let added = try await server.send(names, in: browser, ["action": "add", "identifier": "new@example.com"])
        #expect(added.page == "login")
        #expect(try await server.messageCount(to: "new@example.com") == 0)
        try await server.addBea()
        let stranger = try await browser.submit(
            stale, ["username": "bea@example.com", "password": TestServer.password])
        #expect(stranger.page == "other-account", "somebody else does not come back to that page")
        let again = try await browser.submit(stranger, ["action": "other"])
        #expect(again.page == "login")
        let back = try await browser.submit(
            again, ["username": TestServer.username, "password": TestServer.password])
        #expect(back.page == "settings-password")
        await server.stop()
    }

    @Test func `51: a deleted account is gone with everything, once it is confirmed`() async throws {
        let told = TestClients.make("told", method: "client_secret_basic", secret: TestClients.webSecret) {
            $0.backchannelLogoutURI = "http://127.0.0.1:9001/logout"
        }
        let server = try await TestServer.start(clients: [told])
        let tokens = try await server.tokens(told)
        let browser = server.browser()
        let page = try await server.visit("/settings/delete", in: browser)
        let unsure = try await server.send(page, in: browser, ["action": "delete"])
        #expect(unsure.status == 422 && unsure.hasProblem)
        #expect(try await server.send(page, in: browser, ["action": "deny", "confirm": "true"]).page == "settings")
        #expect(try await server.account(TestServer.username) != nil)
        let done = try await server.send(page, in: browser, ["action": "delete", "confirm": "true"])
        #expect(done.page == "done" && browser.cookieJar["keyturn-session"] == nil)
        #expect(try await server.account(TestServer.username) == nil)
        #expect(try await server.refresh(tokens.refreshToken, told).error == "invalid_grant")
        let introspected = try await server.post(
            "/oauth2/introspect", FormParameters(["token": tokens.accessToken]), as: told)
        #expect(introspected.json["active"]?.boolValue == false)
        #expect(try await server.logoutNotices().map(\.clientID) == ["told"])
        #expect(try await server.audited().contains("user.deleted"))
        #expect(try await server.visit("/settings", in: browser).page == "login")
        await server.stop()
    }
}
