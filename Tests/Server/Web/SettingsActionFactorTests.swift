import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Settings actions: second factors and passkeys")
struct SettingsActionFactorTests {
    /// Sets an authenticator app up as an action.
    private func setUp(_ action: ActionRequest, _ page: ScriptedBrowser.Screen) async throws
        -> (app: TOTPCode, codes: [String])
    {
        let server = action.server
        let setup = try await server.send(page, in: action.browser, ["action": "add"])
        #expect(setup.page == "totp-setup")
        let early = try await server.send(setup, in: action.browser, ["action": "continue"])
        #expect(try !ActionRequest.isDone(early), "nothing is done before the first code")
        let key = try #require(setup.body.firstMatch(of: #/<code>([A-Z2-7 ]+)</code>/#)?.1)
        let app = TOTPCode(try #require(TOTPSecret(typed: Secret(String(key)))))
        let codes = try await server.send(
            setup, in: action.browser, ["code": app.code(at: server.clock.now).exposed()])
        #expect(codes.page == "recovery-codes")
        #expect(try ActionRequest.isDone(try await server.send(codes, in: action.browser, ["action": "continue"])))
        server.clock.advance(31)
        return (app, recoveryCodes(codes))
    }

    private func recoveryCodes(_ screen: ScriptedBrowser.Screen) -> [String] {
        screen.body.matches(of: #/<li><code>([^<]+)</code></li>/#).map { String($0.1) }
    }

    private func isGood(_ code: String?, _ server: TestServer) async throws -> Bool {
        let proof = try? await server.services.methods.recoveryCodes.verify(
            loginID: TestServer.username, code: Secret(try #require(code)), from: nil)
        return proof != nil
    }

    @Test func `an authenticator app is set up, its codes are renewed, and it is removed`() async throws {
        let server = try await TestServer.start()
        let action = ActionRequest(server: server, browser: server.browser())
        let session = try await server.tokens(TestClients.tool).refreshToken
        let page = try await action.openInApp("setup_totp", session: session)
        #expect(page.page == "settings-authenticators", "\(page.page ?? page.url)")
        let setup = try await server.send(page, in: action.browser, ["action": "add"])
        let denied = try await server.send(setup, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(denied) == "cancel")
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        let (app, first) = try await setUp(action, page)
        #expect(first.count == Limits.recoveryCodesPerUser)
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == true)

        let renewal = try await action.openInApp("setup_recovery_codes", session: session)
        // The app's session is older than the factor: the user signs in with it, and the app still waits.
        let login = try await server.send(renewal, in: action.browser, ["action": "renew-codes"])
        let asked = try await server.complete(login, in: action.browser)
        let back = try await action.browser.submit(asked, ["code": app.code(at: server.clock.now).exposed()])
        #expect(back.page == "settings-authenticators", "\(back.page ?? back.url)")
        let codes = try await server.send(back, in: action.browser, ["action": "renew-codes"])
        #expect(codes.page == "recovery-codes")
        let second = recoveryCodes(codes)
        #expect(second.count == first.count && Set(second).isDisjoint(with: first))
        #expect(try ActionRequest.isDone(try await server.send(codes, in: action.browser, ["action": "continue"])))
        #expect(try await !isGood(first.first, server))
        #expect(try await isGood(second.first, server))

        let removal = try await action.openInApp("remove_totp", session: session)
        let kept = try await server.send(removal, in: action.browser, ["action": "deny"])
        #expect(try ActionRequest.error(kept) == "cancel")
        let unknown = try await server.send(removal, in: action.browser, ["action": "remove", "id": "other"])
        #expect(try !ActionRequest.isDone(unknown))
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == true)
        let id = try #require(removal.hidden("id").first)
        let removed = try await server.send(removal, in: action.browser, ["action": "remove", "id": id])
        #expect(try ActionRequest.isDone(removed))
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        #expect(try await server.services.methods.recoveryCodes.count(of: TestServer.subject) == 0)
        await server.stop()
    }

    @Test(arguments: [("remove_totp", "remove"), ("setup_recovery_codes", "renew-codes")])
    func `89: the second factor is not changed in a session that did not use it`(_ name: String, _ press: String)
        async throws
    {
        // An operator who lets a password stand alone does not thereby let it change the second factor.
        let server = try await WireSecondFactorTests.start(AuthorityPolicy(passwordBesideSecondFactor: true))
        _ = try await server.giveAuthenticator()
        let made = try await server.services.methods.recoveryCodes.make(for: TestServer.subject)
        // A method of an app signs in by the password alone.
        let session = try await server.call(
            "password/signin", ["loginId": .string(TestServer.username), "password": .string(TestServer.password)])
        let refreshToken = try #require(session.refreshJWT)
        let action = ActionRequest(server: server, browser: server.browser())
        let page = try await action.openInApp(name, session: refreshToken)
        let tried =
            page.page == "settings-authenticators"
            ? try await server.send(page, in: action.browser, ["action": press, "id": page.hidden("id").first]) : page
        #expect(["login", "code", "methods"].contains(tried.page), "\(tried.page ?? tried.url)")
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == true)
        #expect(try await isGood(made.first?.exposed(), server))
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

    @Test func `a passkey is added and removed for an app`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        let action = ActionRequest(server: server, browser: device.browser)
        let page = try await action.open("add_passkey")
        #expect(page.page == "settings-passkeys")
        #expect(try ActionRequest.isDone(try await device.press(page, action: "add")))
        #expect(try await server.passkeys().count == 1)
        let list = try await action.open("remove_passkey")
        let question = try await device.browser.open(try removal(list))
        #expect(question.page == "settings-passkey-remove", "\(question.page ?? question.url)")
        let kept = try await server.send(
            question, in: device.browser, ["action": "deny", "id": question.hidden("id").first])
        #expect(try ActionRequest.error(kept) == "cancel")
        #expect(try await server.passkeys().count == 1)
        let gone = try await server.send(
            question, in: device.browser, ["action": "remove", "id": question.hidden("id").first])
        #expect(try ActionRequest.isDone(gone))
        #expect(try await server.passkeys().isEmpty)
        await server.stop()
    }

    /// Where the page's link leads to, at which a passkey is removed.
    private func removal(_ page: ScriptedBrowser.Screen) throws -> String {
        let link = try #require(page.body.firstMatch(of: #/href="([^"]*\/remove\?[^"]*)"/#)?.1, "\(page.page ?? "")")
        return String(link).replacing("&amp;", with: "&")
    }

    @Test func `a passkey is removed after a sign-in with it, and the app still waits`() async throws {
        let server = try await TestServer.startWithPasskeys()
        var device = PasskeyDevice(server)
        try await server.givePasskey(on: &device)
        let action = ActionRequest(server: server, browser: device.browser)
        let list = try await action.open("remove_passkey")
        let login = try await device.browser.open(try removal(list))
        #expect(login.page != "settings-passkey-remove", "the session is of the password alone")
        let back = try await device.press(login)
        #expect(back.page == "settings-passkeys", "\(back.page ?? back.url)")
        let question = try await device.browser.open(try removal(back))
        let gone = try await server.send(
            question, in: device.browser, ["action": "remove", "id": question.hidden("id").first])
        #expect(try ActionRequest.isDone(gone), "\(gone.page ?? gone.url)")
        #expect(try await server.passkeys().isEmpty)
        await server.stop()
    }
}
