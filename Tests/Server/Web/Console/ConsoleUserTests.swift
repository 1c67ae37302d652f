import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Console: one user, and what support does")
struct ConsoleUserTests {
    private static let path = "/admin/users/user"
    private static let sessions = "/admin/users/user/sessions"
    private static let andy = TestServer.subject.rawValue
    private static let page = "\(path)?id=\(andy)"

    @Test func `the page says who the user is, how they sign in, where they are, and what happened`() async throws {
        let server = try await TestServer.start()
        _ = try await server.tokens(TestClients.portal)
        _ = try await server.giveAuthenticator()
        _ = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        let browser = try await server.console(as: .viewer)
        let screen = try await browser.open(Self.page)
        #expect(screen.status == 200 && screen.page == "admin-user")
        for part in [
            "Andy Rhoads", Self.andy, "andy@example.com", "Verified", "+15551234567", "Not verified", "Password",
            "Authenticator app", "codes left", "Client portal", "sign_in.succeeded", "/admin/audit?user=\(Self.andy)",
            "&quot;locality&quot;",
        ] { #expect(screen.body.contains(part), "\(part)") }
        #expect(screen.mark(of: Self.path) == nil && screen.mark(of: Self.sessions) == nil, "a viewer sees no action")
        #expect(!screen.body.contains("$argon2"))
        #expect(try await browser.open("\(Self.path)?id=nobody").status == 404)
        #expect(try await browser.open("\(Self.path)?id=\(TestServer.username)").status == 404)
        await server.stop()
    }

    @Test func `a user is disabled and enabled, and signed out meanwhile`() async throws {
        let server = try await TestServer.start()
        let own = server.browser()
        _ = try await server.visit("/settings", in: own)
        let browser = try await server.console(as: .support)
        let done = try await server.act(
            try await browser.open(Self.page), at: Self.sessions, in: browser, ["id": Self.andy, "action": "disable"])
        #expect(done.hasNotice && done.body.contains("Disabled"))
        #expect(try await own.open("/settings").page == "login")
        let event = try #require(try await server.newestEvent(.userStatusChanged))
        #expect(event.userID == TestServer.subject && event.reason == "disabled" && event.address == "127.0.0.1")
        #expect(try await server.account(TestServer.operatorName)?.user.id.rawValue == event.actor)
        let back = try await server.act(done, at: Self.sessions, in: browser, ["id": Self.andy, "action": "enable"])
        #expect(back.hasNotice)
        #expect(try await server.account(TestServer.username)?.user.status == .active)
        await server.stop()
    }

    @Test func `one browser, one app, and everything is ended`() async throws {
        let server = try await TestServer.start()
        let (one, two) = (server.browser(), server.browser())
        let tokens = try await server.tokens(TestClients.portal, in: one)
        _ = try await server.visit("/settings", in: two)
        let browser = try await server.console(as: .support)
        let page = try await browser.open(Self.page)
        let grant = try #require(page.hidden("grant").first)
        let ended = try await server.act(
            page, at: Self.sessions, in: browser, ["id": Self.andy, "grant": grant, "action": "end"])
        #expect(ended.hasNotice)
        #expect(try await server.refresh(tokens.refreshToken, TestClients.portal).error == "invalid_grant")
        let event = try #require(try await server.newestEvent(.grantEnded))
        #expect(event.reason == "administrator" && event.target == "portal" && event.actor != nil)
        #expect(try await one.open("/settings").page == "settings", "its browser stays")
        let sessions = page.hidden("session")
        #expect(sessions.count == 2)
        _ = try await server.act(
            page, at: Self.sessions, in: browser, ["id": Self.andy, "session": sessions[0], "action": "end"])
        #expect(try await server.newestEvent(.sessionEnded)?.target == sessions[0])
        #expect(
            try await [one.open("/settings").page, two.open("/settings").page].sorted { $0 ?? "" < $1 ?? "" }
                == ["login", "settings"])
        let again = try await server.act(
            page, at: Self.sessions, in: browser, ["id": Self.andy, "session": sessions[0], "action": "end"])
        #expect(again.body.contains("nothing left"))
        _ = try await server.act(page, at: Self.sessions, in: browser, ["id": Self.andy, "action": "end-all"])
        #expect(try await [one.open("/settings").page, two.open("/settings").page] == ["login", "login"])
        #expect(try await server.newestEvent(.userLoggedOut)?.actor != nil)
        #expect(try await browser.open("/admin/users").status == 200, "the operator stays")
        await server.stop()
    }

    @Test func `another user's session does not end by the wrong user's page`() async throws {
        let server = try await TestServer.start()
        try await server.addBea()
        let bea = server.browser()
        _ = try await server.visit("/settings", in: bea, as: "bea@example.com")
        let id = try await server.services.stores.sessions.sessions(
            of: UserID(rawValue: "22222222-2222-4222-8222-222222222222"), limit: 9, at: server.clock.now
        ).map(\.session.id.rawValue)[0]
        let browser = try await server.console(as: .support)
        let done = try await server.act(
            try await browser.open(Self.page), at: Self.sessions, in: browser,
            ["id": Self.andy, "session": id, "action": "end"])
        #expect(done.body.contains("nothing left"))
        #expect(try await bea.open("/settings").page == "settings")
        await server.stop()
    }

    @Test func `a reset goes to the user's own address, and the password expires if that is asked for`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .support)
        let page = try await browser.open(Self.page)
        let sent = try await server.act(page, at: Self.path, in: browser, ["id": Self.andy, "action": "reset"])
        #expect(sent.hasNotice)
        let message = try #require(try await server.messages(.passwordReset).first)
        #expect(message.to == TestServer.username && !sent.body.contains(message.links[0]))
        #expect(try await server.newestEvent(.passwordResetSent)?.userID == TestServer.subject)
        let state = server.services.stores.passwords
        #expect(try await !state.state(of: TestServer.subject).mustReplace)
        let link = try await server.browser().open(message.links[0])
        #expect(link.page == "link" && link.body.contains("<form"))
        let expired = try await server.act(
            page, at: Self.path, in: browser, ["id": Self.andy, "action": "reset-expiring"])
        #expect(expired.hasNotice)
        #expect(try await state.state(of: TestServer.subject).mustReplace)
        #expect(try await server.newestEvent(.passwordExpired)?.actor != nil)
        let nameless = try await server.made("someone", claims: ["email": .null])
        let refused = try await server.act(
            page, at: Self.path, in: browser, ["id": nameless.user.id.rawValue, "action": "reset"])
        #expect(refused.status == 422 && refused.hasProblem)
        await server.stop()
    }

    @Test func `lost factors are removed, and the user is told`() async throws {
        let server = try await TestServer.start()
        _ = try await server.giveAuthenticator()
        _ = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        let browser = try await server.console(as: .support)
        let page = try await browser.open(Self.page)
        let done = try await server.act(page, at: Self.path, in: browser, ["id": Self.andy, "action": "remove-factor"])
        #expect(done.hasNotice && !done.body.contains("codes left"))
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        #expect(try await server.services.methods.recoveryCodes.count(of: TestServer.subject) == 0)
        #expect(try await server.messages(.authenticatorRemoved).map(\.to) == [TestServer.username])
        for kind in [AuditEvent.Kind.authenticatorRemoved, .recoveryCodesRemoved] {
            #expect(try await server.newestEvent(kind)?.actor != nil)
        }
        await server.stop()
    }

    @Test func `a passkey is removed alone, and the others stay`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let passkey = try await server.givePasskey(on: &device)
        let browser = try await server.console(as: .support)
        let page = try await browser.open(Self.page)
        #expect(page.hidden("passkey") == [passkey.id.rawValue])
        let done = try await server.act(
            page, at: Self.path, in: browser,
            ["id": Self.andy, "passkey": passkey.id.rawValue, "action": "remove-passkey"])
        #expect(done.hasNotice)
        #expect(try await server.passkeys().isEmpty)
        let event = try #require(try await server.newestEvent(.passkeyRemoved))
        #expect(event.actor != nil && event.actor != "management" && event.target == passkey.id.rawValue)
        #expect(try await server.messages(.passkeyRemoved).map(\.to) == [TestServer.username])
        await server.stop()
    }

    @Test func `what changes how somebody signs in asks for a recent sign-in, and disabling does not`() async throws {
        let server = try await TestServer.start()
        let browser = try await server.console(as: .support)
        let page = try await browser.open(Self.page)
        server.clock.advance(Limits.sensitiveSeconds + 1)
        let asked = try await server.act(page, at: Self.path, in: browser, ["id": Self.andy, "action": "reset"])
        #expect(asked.page == "login" || asked.page == "totp" || asked.page == "message", "\(asked.page ?? "")")
        #expect(try await server.messages(.passwordReset).isEmpty)
        let done = try await server.act(page, at: Self.sessions, in: browser, ["id": Self.andy, "action": "disable"])
        #expect(done.hasNotice)
        await server.stop()
    }

    @Test func `what users provide is text, whatever it holds`() async throws {
        let server = try await TestServer.start()
        let evil = "\"><script>alert(1)</script>"
        let user = try await server.made(
            "evil@example.com", claims: ["name": .string(evil), "given_name": .string(evil)],
            attributes: [evil: .string(evil)])
        let facts = AuthenticationFacts(time: server.clock.now, methods: ["pwd"], contextClass: "test")
        _ = try await server.services.signIn.openSession(
            for: user.user, facts, replacing: nil, from: SessionOrigin(address: evil, device: evil))
        let browser = try await server.console(as: .owner)
        let id = user.user.id.rawValue
        for path in ["/admin/users", "\(Self.path)?id=\(id)", "\(Self.path)/change?id=\(id)"] {
            let screen = try await browser.open(path)
            #expect(screen.status == 200 && screen.body.contains("&lt;script&gt;"))
            #expect(!screen.body.contains("<script>alert") && !screen.body.contains("\"><script>"))
        }
        let query = FormParameters(["text": evil]).encoded
        #expect(try await !browser.open("/admin/users?\(query)").body.contains("<script>alert"))
        await server.stop()
    }
}
