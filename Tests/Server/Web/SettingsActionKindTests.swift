import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// What an app sends a user to the settings for, in its own session and in the browser's.
struct ActionRequest {
    let server: TestServer
    let browser: ScriptedBrowser

    /// Opens the page of an action, with the ID token of a session of this browser.
    func open(_ action: String, _ extra: [(String, String)] = []) async throws -> ScriptedBrowser.Screen {
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        return try await open(action, extra, hint: nil, idToken: idToken)
    }

    /// Opens the page of an action in the app's own session, in a browser that knows no user.
    func openInApp(_ action: String, _ extra: [(String, String)] = []) async throws -> ScriptedBrowser.Screen {
        let tokens = try await server.tokens(TestClients.tool)
        let body: JSONValue = ["refresh_token": .string(tokens.refreshToken ?? "")]
        let answer = try await server.send(
            "POST", "/oauth2/app_session_token", headers: [("Content-Type", "application/json")],
            body: String(decoding: body.serialized, as: UTF8.self))
        let token = try #require(answer.json["result"]?["app_session_token"]?.stringValue, "\(answer.body)")
        let hint = AuthgearNames.loginHint([("type", "app_session_token"), ("app_session_token", token)])
        return try await open(action, extra, hint: hint, idToken: nil)
    }

    private func open(
        _ action: String, _ extra: [(String, String)], hint: String?, idToken: String?
    ) async throws -> ScriptedBrowser.Screen {
        var request = server.request(TestClients.tool, proof: PKCE(ambient: .live))
        request.responseType = SettingsAction.responseType
        request.loginHint = hint
        request.idTokenHint = idToken
        request.extra.append(SettingsAction.parameter, action)
        for (name, value) in extra { request.extra.append(name, value) }
        return try await server.authorize(request, in: browser)
    }

    /// Whether the browser ended at the app, with a code.
    static func isDone(_ screen: ScriptedBrowser.Screen) throws -> Bool {
        guard let answer = try TestServer.callback(screen), case .code = answer.outcome else { return false }
        return true
    }

    /// The error with which the browser ended at the app.
    static func error(_ screen: ScriptedBrowser.Screen) throws -> String? {
        guard case .refused(let problem)? = try TestServer.callback(screen)?.outcome else { return nil }
        return problem.code.rawValue
    }
}

@Suite("Settings actions: user names, factors and passkeys")
struct SettingsActionKindTests {
    private static let names = MethodSettings(offersUsernames: true)

    @Test func `a user name is added, and another one takes its place`() async throws {
        let server = try await TestServer.start(methodSettings: Self.names)
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.open("add_username")
        #expect(page.page == "settings-identifiers" && page.body.contains("User name"))
        for bad in ["ab", "two words", "with@sign", "+123456", "älg-åker", String(repeating: "x", count: 65)] {
            let refused = try await server.send(
                page, in: action.browser, ["action": "add", "identifier": bad])
            #expect(refused.status == 422 && refused.hasProblem, "\(bad)")
        }
        let done = try await server.send(page, in: action.browser, ["action": "add", "identifier": "Andy.One"])
        #expect(try ActionRequest.isDone(done))
        #expect(try await server.account("andy.one")?.user.id == TestServer.subject)

        let query = FormParameters([SettingsAction.loginID: "andy.one"]).encoded
        let change = try await action.open("change_username", [(SettingsAction.queryParameter, query)])
        let changed = try await server.send(change, in: action.browser, ["action": "add", "identifier": "andy-two"])
        #expect(try ActionRequest.isDone(changed))
        #expect(try await server.account("andy.one") == nil)
        #expect(try await server.account("andy-two")?.user.id == TestServer.subject)
        #expect(try await server.account(TestServer.username)?.user.id == TestServer.subject)
        await server.stop()
    }

    @Test func `79: of another user's name nothing is told but that it is taken, twenty times an hour`() async throws {
        let server = try await TestServer.start(methodSettings: Self.names)
        try await server.addBea()
        let bea = Identifier(kind: .username, storedValue: "beatrice")
        _ = try await server.services.stores.users.change(
            UserID(rawValue: "22222222-2222-4222-8222-222222222222"), at: server.clock.now
        ) { $0.identifiers[bea] = .verified }
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.open("add_username")
        for _ in 0..<Limits.usernameTriesMax {
            let taken = try await server.send(page, in: action.browser, ["action": "add", "identifier": "beatrice"])
            #expect(taken.status == 422 && taken.hasProblem)
        }
        let late = try await server.send(page, in: action.browser, ["action": "add", "identifier": "free-name"])
        #expect(late.status == 429 && late.header("retry-after") != nil)
        #expect(try await server.account("free-name") == nil)
        #expect(try await server.account("beatrice")?.user.id != TestServer.subject)
        await server.stop()
    }

    @Test func `an authenticator app is set up, its codes are renewed, and it is removed`() async throws {
        let server = try await TestServer.start()
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.openInApp("setup_totp")
        #expect(page.page == "settings-authenticators", "\(page.page ?? page.url)")
        let setup = try await server.send(page, in: action.browser, ["action": "add"])
        #expect(setup.page == "totp-setup")
        let denied = try await server.send(setup, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(denied) == "cancel")
        let early = try await server.send(setup, in: action.browser, ["action": "continue"])
        #expect(try !ActionRequest.isDone(early), "nothing is done before the first code")
        let key = try #require(setup.body.firstMatch(of: #/<code>([A-Z2-7 ]+)</code>/#)?.1)
        let app = TOTPCode(try #require(TOTPSecret(typed: Secret(String(key)))))
        let codes = try await server.send(
            setup, in: action.browser, ["code": app.code(at: server.clock.now).exposed()])
        #expect(codes.page == "recovery-codes")
        #expect(try ActionRequest.isDone(try await server.send(codes, in: action.browser, ["action": "continue"])))
        await server.stop()
    }

    @Test func `a renewal of recovery codes without an authenticator app is no answer to the app`() async throws {
        let server = try await TestServer.start()
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.open("setup_recovery_codes")
        #expect(page.page == "settings-authenticators")
        let nothing = try await server.send(page, in: action.browser, ["action": "renew-codes"])
        #expect(try !ActionRequest.isDone(nothing))
        let back = try await server.send(page, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(back) == "cancel")
        await server.stop()
    }

    @Test(arguments: [
        "add_username", "link_oauth", "unlink_oauth",
    ])
    func `an action that the operator does not offer goes back to the app`(_ name: String) async throws {
        let server = try await TestServer.start()
        let action = ActionRequest(server: server, browser: server.browser())
        let refused = try await action.openInApp(name, [(SettingsAction.providerParameter, "acme")])
        #expect(try ActionRequest.error(refused) == SettingsAction.unsupported)
        await server.stop()
    }

    @Test func `without the provider's name, or the earlier user name, the request is refused`() async throws {
        let server = try await TestServer.start(methodSettings: Self.names)
        let action = ActionRequest(server: server, browser: server.browser())
        for name in ["link_oauth", "unlink_oauth", "change_username"] {
            #expect(try ActionRequest.error(try await action.openInApp(name)) == "invalid_request", "\(name)")
        }
        await server.stop()
    }

    @Test func `a passkey is added and removed for an app`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let action = ActionRequest(server: server, browser: device.browser)
        let page = try await action.open("add_passkey")
        #expect(page.page == "settings-passkeys")
        #expect(try ActionRequest.isDone(try await device.press(page, action: "add")))
        let passkey = try #require(try await server.passkeys().first)
        let list = try await action.open("remove_passkey")
        let sealed = try #require(list.hidden("transaction").first)
        let question = try await device.browser.open(
            "/settings/passkeys/remove?id=\(passkey.id.rawValue)&transaction=\(sealed)")
        if question.page == "settings-passkey-remove" {
            let kept = try await server.send(
                question, in: device.browser, ["action": "deny", "id": passkey.id.rawValue])
            #expect(try ActionRequest.error(kept) == "cancel")
            let gone = try await server.send(
                question, in: device.browser, ["action": "remove", "id": passkey.id.rawValue])
            #expect(try ActionRequest.isDone(gone))
            #expect(try await server.passkeys().isEmpty)
        } else {
            #expect(question.page == "login" || question.page == "methods", "\(question.page ?? question.url)")
        }
        await server.stop()
    }
}

@Suite("Settings actions: accounts at providers")
struct ProviderActionTests {
    private static let alias = [(SettingsAction.providerParameter, "acme")]

    @Test func `an account is connected and disconnected in an app's session`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.openInApp("link_oauth", Self.alias)
        #expect(page.page == "settings-connections", "\(page.page ?? page.url)")
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        #expect(gone.page == "departure")
        #expect(action.browser.cookieJar["keyturn-session"] == nil, "the app's session alone")
        let done = try await fixture.comeBack(action.browser, try FederationFixture.handle(gone))
        #expect(try ActionRequest.isDone(done), "\(done.page ?? done.url)")
        #expect(try await fixture.holder() == TestServer.subject)

        let list = try await action.openInApp("unlink_oauth", Self.alias)
        #expect(list.page == "settings-connections")
        #expect(
            try ActionRequest.isDone(
                try await server.send(
                    list, in: action.browser, ["action": "unlink", "id": list.hidden("id").first])))
        #expect(try await fixture.holder() == nil)
        await server.stop()
    }

    @Test func `F-15: the callback of a linking counts for its browser, session and action alone`() async throws {
        let fixture = try await FederationFixture.start()
        let server = fixture.server
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.openInApp("link_oauth", Self.alias)
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        let handle = try FederationFixture.handle(gone)
        // In another browser.
        let other = ActionRequest(server: server, browser: server.browser())
        _ = try await other.openInApp("link_oauth", Self.alias)
        #expect(try await fixture.comeBack(other.browser, handle).status == 400)
        let direct = try await other.browser.open(
            "/settings/connections/acme/callback?state=\(handle)&code=code")
        #expect(direct.status == 400)
        // In the same browser, in another session of the same user.
        let before = action.browser.cookieJar
        let again = try await action.openInApp("link_oauth", Self.alias)
        #expect(again.page == "settings-connections")
        let back = try await fixture.comeBack(action.browser, handle)
        #expect(try !ActionRequest.isDone(back))
        #expect(try await fixture.holder() == nil)
        action.browser.cookieJar = before
        #expect(try await !ActionRequest.isDone(fixture.comeBack(action.browser, handle)), "the state counts once")
        #expect(try await fixture.holder() == nil)
        await server.stop()
    }

    @Test func `a user who declines at the provider can give up, which the app hears`() async throws {
        let fixture = try await FederationFixture.start()
        let action = ActionRequest(server: fixture.server, browser: fixture.server.browser())
        let server = fixture.server
        let page = try await action.openInApp("link_oauth", Self.alias)
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        let handle = try FederationFixture.handle(gone)
        fixture.provider.fails(ConnectionProblem(.cancelled, code: "access_denied"))
        let back = try await fixture.comeBack(action.browser, handle)
        #expect(back.page == "settings-connections" && back.hasProblem)
        let cancel = try await fixture.server.send(back, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(cancel) == "cancel")
        await fixture.server.stop()
    }

    @Test func `an account of another user is refused with words, and the app still waits`() async throws {
        let fixture = try await FederationFixture.start()
        _ = try await fixture.pass(fixture.server.browser())
        let owner = try await fixture.holder()
        let action = ActionRequest(server: fixture.server, browser: fixture.server.browser())
        let server = fixture.server
        let page = try await action.openInApp("link_oauth", Self.alias)
        let gone = try await server.send(page, in: action.browser, ["action": "link", "id": "acme"])
        let handle = try FederationFixture.handle(gone)
        let refused = try await fixture.comeBack(action.browser, handle)
        #expect(refused.page == "settings-connections" && refused.hasProblem)
        #expect(try await fixture.holder() == owner && owner != TestServer.subject)
        let cancel = try await fixture.server.send(refused, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(cancel) == "cancel")
        await fixture.server.stop()
    }
}
