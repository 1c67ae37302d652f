import Keyturn
import KeyturnTesting
import Testing

@Suite("KeyturnTesting: the browser")
struct BrowserTests {
    private let callback = "http://127.0.0.1/callback"

    private func app(_ server: TestServer, _ browser: TestBrowser, _ client: TestClient = .app) -> Keyturn {
        Keyturn(
            server.service(for: client), storage: .memory, browser: browser, transport: server.network,
            ambient: server.clock.ambient)
    }

    @Test func `with a password, and the next time with one press`() async throws {
        try await withTestServer { server in
            let browser = server.makeBrowser()
            for pages in [["login"], ["login", "continue"]] {
                let result = try await app(server, browser).authorize(redirectURI: callback)
                #expect(result.userInfo.subject == TestUser.andy.subject && result.userInfo.email == "andy@example.com")
                #expect(browser.pages == pages && browser.problem == nil)
            }
        }
    }

    @Test func `without a password, by a code from the mailbox`() async throws {
        try await withTestServer(users: [TestUser("bea@example.com", password: nil)]) { server in
            let browser = server.makeBrowser()
            let result = try await app(server, browser).authorize(redirectURI: callback)
            #expect(result.userInfo.email == "bea@example.com")
            #expect(browser.pages == ["login", "code"])
        }
    }

    @Test func `consent is given where the client asks for it`() async throws {
        let client = TestClient("partner", redirectURIs: ["com.example.partner:/callback"], asksForConsent: true)
        try await withTestServer(clients: [client]) { server in
            let browser = server.makeBrowser()
            _ = try await app(server, browser, client).authorize(redirectURI: "com.example.partner:/callback")
            #expect(browser.pages == ["login", "consent"])
        }
    }

    @Test func `a user who cancels has cancelled, and may try again`() async throws {
        try await withTestServer { server in
            let browser = server.makeBrowser()
            browser.conduct = .cancels
            let auth = app(server, browser)
            await #expect(throws: AuthError(.cancelled, "")) { try await auth.authorize(redirectURI: callback) }
            #expect(browser.problem == nil, "the browser came back")
            #expect(try await auth.start() == .signedOut)
            browser.conduct = .signsIn
            try await auth.authorize(redirectURI: callback)
        }
    }

    @Test func `a sign-in that does not come back says on which page it ended`() async throws {
        try await withTestServer { server in
            let browser = server.makeBrowser(signingIn: "carl@example.com")
            let error = await #expect(throws: AuthError.self) {
                try await app(server, browser).authorize(redirectURI: callback)
            }
            let problem = try #require(browser.problem)
            #expect(error?.detail == problem)
            #expect(problem.contains("no new message with a code came to carl@example.com"), "\(problem)")
            let auth = server.makeKeyturn()
            _ = try await auth.password.replace(
                loginId: "andy@example.com", oldPassword: "correct-horse-battery", newPassword: "another-long-phrase")
            let forgetful = server.makeBrowser()
            await #expect(throws: AuthError.self) {
                try await app(server, forgetful).authorize(redirectURI: callback)
            }
            let slip = try #require(forgetful.problem)
            #expect(slip.contains("the server showed login, login, and says \""), "\(slip)")
        }
        try await withTestServer { server in
            let andy = server.makeBrowser()
            var options = SignInOptions(redirectURI: callback)
            options.acrValues = ["urn:keyturn:acr:mfa"]
            await #expect(throws: AuthError.self) { try await app(server, andy).authorize(options) }
            #expect(andy.problem?.contains("the page \"totp-setup\"") == true, "\(andy.problem ?? "")")
        }
    }
}
