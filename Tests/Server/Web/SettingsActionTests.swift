import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Settings: what an app sends somebody there for")
struct SettingsActionTests {
    private let pkce = PKCE(ambient: .live)

    private func request(
        _ server: TestServer, _ action: String, idToken: String?, client: Client = TestClients.tool
    ) -> AuthorizationRequest {
        var request = server.request(client, proof: pkce)
        request.responseType = SettingsAction.responseType
        request.idTokenHint = idToken
        request.extra.append(SettingsAction.parameter, action)
        return request
    }

    private func redeem(
        _ server: TestServer, _ code: String, verifier: String? = nil, as client: Client = TestClients.tool
    ) async throws -> EndpointAnswer {
        try await server.post(
            "/oauth2/token",
            FormParameters([
                "grant_type": GrantType.settingsAction.rawValue, "code": code,
                "redirect_uri": client.metadata.redirectURIs?.first,
                "code_verifier": verifier ?? pkce.codeVerifier.exposed(),
            ]), as: client)
    }

    private func code(_ screen: ScriptedBrowser.Screen) throws -> String {
        let response = try #require(try TestServer.callback(screen), "\(screen.page ?? screen.url)")
        guard case .code(let code) = response.outcome else { throw TestFailure("refused: \(response.outcome)") }
        return code
    }

    @Test func `a password is changed, and the app gets word of it, once, and nothing else`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let page = try await server.authorize(request(server, "change_password", idToken: idToken), in: browser)
        #expect(page.page == "settings-password")
        #expect(page.header("content-security-policy")?.contains("127.0.0.1") == true)
        let wrong = try await server.send(
            page, in: browser, ["current_password": "wrong", "password": "another-long-password"])
        #expect(wrong.page == "settings-password" && wrong.status == 422)
        let done = try await server.send(
            wrong, in: browser,
            ["current_password": TestServer.password, "password": "another-long-password"])
        let code = try code(done)
        #expect(try await redeem(server, code, verifier: String(repeating: "x", count: 43)).error == "invalid_grant")
        #expect(try await redeem(server, code, as: TestClients.portal).error == "invalid_grant")
        let answer = try await redeem(server, code)
        #expect(answer.status == 200 && answer.body == "{}")
        #expect(try await redeem(server, code).error == "invalid_grant")
        let token = try await server.post(
            "/oauth2/token",
            TokenRequest.authorizationCode(
                code: Secret(code), redirectURI: TestClients.tool.metadata.redirectURIs?.first,
                codeVerifier: pkce.codeVerifier
            ).parameters, as: TestClients.tool)
        #expect(token.error == "invalid_grant", "it is no code for tokens")
        await server.stop()
    }

    @Test func `the app that asked for it goes on, and everything else is signed out`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let app = try await server.tokens(TestClients.tool, in: browser)
        let elsewhere = try await server.tokens(TestClients.tool)
        let other = try await server.tokens(TestClients.portal, in: browser)
        let page = try await server.authorize(request(server, "change_password", idToken: app.idToken), in: browser)
        let done = try await server.send(
            page, in: browser,
            [
                "current_password": TestServer.password, "password": "another-long-password", "end_others": "true",
            ])
        _ = try code(done)
        #expect(try await server.refresh(app.refreshToken, TestClients.tool).status == 200)
        #expect(try await server.refresh(elsewhere.refreshToken, TestClients.tool).error == "invalid_grant")
        #expect(try await server.refresh(other.refreshToken, TestClients.portal).error == "invalid_grant")
        await server.stop()
    }

    @Test func `a thief's session does not survive because its link was followed`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        _ = try await server.tokens(TestClients.tool, in: browser)
        let thief = try await server.tokens(TestClients.tool)
        let page = try await server.authorize(request(server, "change_password", idToken: thief.idToken), in: browser)
        let done = try await server.send(
            page, in: browser,
            [
                "current_password": TestServer.password, "password": "another-long-password", "end_others": "true",
            ])
        _ = try code(done)
        #expect(try await server.refresh(thief.refreshToken, TestClients.tool).error == "invalid_grant")
        await server.stop()
    }

    @Test func `whoever gives up is sent back with that word`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        for action in ["change_password", "delete_account", "verify_email", "add_email", "add_phone"] {
            let page = try await server.authorize(request(server, action, idToken: idToken), in: browser)
            let back = try await server.send(page, in: browser, ["action": "deny"])
            let response = try #require(try TestServer.callback(back))
            guard case .refused(let problem) = response.outcome else { throw TestFailure("not refused") }
            #expect(problem.code.rawValue == "cancel" && response.state == "state-of-the-test")
        }
        await server.stop()
    }

    @Test func `an account is deleted, and the app gets word of it`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let page = try await server.authorize(request(server, "delete_account", idToken: idToken), in: browser)
        #expect(page.page == "settings-delete")
        let done = try await server.send(page, in: browser, ["action": "delete", "confirm": "true"])
        #expect(try await redeem(server, try code(done)).status == 200)
        #expect(try await server.services.stores.users.account(TestServer.subject) == nil)
        await server.stop()
    }

    @Test func `an address is verified, and the app gets word of it`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let page = try await server.authorize(request(server, "verify_email", idToken: idToken), in: browser)
        #expect(page.page == "settings-identifiers")
        #expect(page.header("content-security-policy")?.contains("127.0.0.1") == true)
        let asked = try await server.send(page, in: browser, ["action": "add", "identifier": "ann@example.org"])
        #expect(asked.page == "code")
        #expect(asked.header("content-security-policy")?.contains("127.0.0.1") == true)
        let sent = try #require(try await server.message(to: "ann@example.org").code)
        let wrong = try await server.send(asked, in: browser, ["code": "x"])
        #expect(wrong.page == "code" && wrong.status == 422)
        let code = try code(try await server.send(wrong, in: browser, ["code": sent]))
        #expect(try await redeem(server, code).body == "{}")
        #expect(try await redeem(server, code).error == "invalid_grant")
        #expect(try await server.account("ann@example.org")?.user.id == TestServer.subject)
        // On the page of the code, too, a user may give up.
        let again = try await server.authorize(request(server, "verify_email", idToken: idToken), in: browser)
        let second = try await server.send(again, in: browser, ["action": "add", "identifier": "bob@example.org"])
        let back = try #require(try TestServer.callback(try await server.send(second, in: browser, ["action": "deny"])))
        guard case .refused(let problem) = back.outcome else { throw TestFailure("not refused") }
        #expect(problem.code.rawValue == "cancel")
        #expect(try await server.account("bob@example.org") == nil)
        await server.stop()
    }

    @Test func `a number that is verified is no address`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let page = try await server.authorize(request(server, "verify_email", idToken: idToken), in: browser)
        let asked = try await server.send(page, in: browser, ["action": "add", "identifier": "+436641234567"])
        let sent = try #require(try await server.message(to: "+436641234567").code)
        let done = try await server.send(asked, in: browser, ["code": sent])
        #expect(done.page == "settings-identifiers" && done.hasNotice)
        await server.stop()
    }

    @Test func `it wants a recent sign-in of the person that is named`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        server.clock.advance(Limits.sensitiveSeconds / 2 + 1)
        let login = try await server.authorize(request(server, "change_password", idToken: idToken), in: browser)
        #expect(login.page == "login")
        let page = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(page.page == "settings-password")
        await server.stop()
    }

    @Test func `apps of others, unknown actions, and requests without PKCE or a name are refused`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        var bare = request(server, "change_password", idToken: nil)
        var foreign = request(server, "change_password", idToken: nil, client: TestClients.web)
        foreign.codeChallenge = pkce.codeChallenge
        for (asked, code) in [
            (request(server, "launch_rocket", idToken: idToken), "invalid_request"), (bare, "invalid_request"),
            (foreign, "unauthorized_client"),
        ] {
            let response = try #require(try TestServer.callback(try await server.authorize(asked, in: browser)))
            guard case .refused(let problem) = response.outcome else { throw TestFailure("not refused") }
            #expect(problem.code.rawValue == code)
        }
        bare.idTokenHint = idToken
        bare.codeChallenge = nil
        bare.codeChallengeMethod = nil
        let response = try #require(try TestServer.callback(try await server.authorize(bare, in: browser)))
        guard case .refused = response.outcome else { throw TestFailure("not refused") }
        await server.stop()
    }

    @Test func `30: a request that was pushed is answered once`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let pushed = try await server.post(
            "/oauth2/par", request(server, "change_password", idToken: idToken).parameters, as: nil)
        let reference = try #require(pushed.json["request_uri"]?.stringValue, "\(pushed.body)")
        let address = "/oauth2/authorize?client_id=tool&request_uri=\(reference)"
        let page = try await browser.open(address)
        let second = try await browser.open(address)
        let back = try await server.send(page, in: browser, ["action": "deny"])
        #expect(try TestServer.callback(back) != nil)
        #expect(try await browser.open(address).page == "error")
        let late = try await server.send(
            second, in: browser, ["current_password": TestServer.password, "password": "another-long-password"])
        let response = try #require(try TestServer.callback(late))
        guard case .refused(let problem) = response.outcome else { throw TestFailure("answered twice") }
        #expect(problem.code == .invalidRequestURI)
        await server.stop()
    }

    @Test func `what another site posts is not taken for the user's answer`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        let page = try await server.authorize(request(server, "change_password", idToken: idToken), in: browser)
        let forged = try await browser.post(
            "/settings/password",
            FormParameters([
                "transaction": page.hidden("transaction").first, "action": "deny", "csrf": "forged",
            ]), headers: [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")])
        #expect(forged.status == 403)
        await server.stop()
    }
}
