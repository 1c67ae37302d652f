import KeyturnBase
import KeyturnWire
import ServerTesting
import SignIn
import Testing

@Suite("What an app asks of the pages")
struct PageWishTests {
    private let pkce = PKCE(ambient: .live)

    @Test(arguments: ["x_page", "prompt"])
    func `an app that asks for it gets the sign-up page, and its user may sign in instead`(_ way: String) async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        var request = server.request(TestClients.portal, proof: pkce)
        if way == "prompt" { request.prompt = "create" } else { request.extra.append("x_page", "signup") }
        let page = try await server.authorize(request, in: browser)
        #expect(page.page == "signup", "\(page.page ?? page.url)")
        let login = try await server.send(page, in: browser, ["action": "deny"])
        #expect(login.page == "login")
        let done = try await browser.submit(
            login, ["username": TestServer.username, "password": TestServer.password])
        #expect(try TestServer.callback(done) != nil, "it is not asked for a second time")
        await server.stop()
    }

    @Test func `where nobody can be reached, the sign-in page takes the place of the sign-up page`() async throws {
        let server = try await TestServer.start(channels: [])
        var request = server.request(TestClients.portal, proof: pkce)
        request.prompt = "create"
        #expect(try await server.authorize(request, in: server.browser()).page == "login")
        await server.stop()
    }

    @Test func `a settings action is shown in the language and the colours that the app asked for`() async throws {
        let server = try await TestServer.start()
        let browser = server.browser()
        let idToken = try await server.tokens(TestClients.tool, in: browser).idToken
        var request = server.request(TestClients.tool, proof: pkce)
        request.responseType = SettingsAction.responseType
        request.idTokenHint = idToken
        request.uiLocales = "de"
        request.extra.append(SettingsAction.parameter, "change_password")
        request.extra.append("x_color_scheme", "dark")
        let page = try await server.authorize(request, in: browser)
        #expect(page.page == "settings-password")
        #expect(page.body.contains("lang=\"de\" dir=\"ltr\" data-theme=\"dark\""))
        #expect(page.body.contains("name=\"color-scheme\" content=\"dark\""))
        let wrong = try await server.send(page, in: browser, ["current_password": "wrong", "password": "x"])
        #expect(wrong.body.contains("lang=\"de\" dir=\"ltr\" data-theme=\"dark\""), "after a mistake as well")
        await server.stop()
    }

    @Test func `an authenticator code that was used a moment ago is called so, after the right password alone`()
        async throws
    {
        let server = try await TestServer.start()
        let authenticator = try await server.giveAuthenticator()
        let code = authenticator.code(at: server.clock.now).exposed()
        for isFirst in [true, false] {
            let browser = server.browser()
            let page = try await browser.submit(
                try await server.loginPage(browser, proof: pkce),
                ["username": TestServer.username, "password": TestServer.password])
            let answer = try await browser.submit(page, ["code": code])
            #expect((answer.status == 422) != isFirst)
            guard !isFirst else { continue }
            #expect(answer.body.contains("was already used"))
            let wrong = try await browser.submit(answer, ["code": code == "000000" ? "111111" : "000000"])
            #expect(wrong.status == 422 && !wrong.body.contains("was already used"))
        }
        let stranger = try await server.call(
            "totp/verify", ["loginId": .string(TestServer.username), "code": .string(code)])
        #expect(stranger.errorCode == MethodProblem.wrongCode.code.rawValue)
        await server.stop()
    }
}
