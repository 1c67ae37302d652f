import Keyturn
import KeyturnBase
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("End to end: requests that are handed in beforehand, with our SDK at our server")
struct PushedEndToEndTests {
    private let callback = "http://127.0.0.1:49152/callback"

    private func app(_ server: TestServer, clientID: String = "tool") -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: clientID), storage: .memory,
            browser: PersonAtBrowser(browser: server.browser()), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
    }

    @Test func `27: the browser carries a name alone, and the code is worth nothing without the key`() async throws {
        let server = try await TestServer.start()
        server.clock.advance(11)
        let auth = app(server)
        var options = SignInOptions(redirectURI: callback)
        options.loginHint = TestServer.username
        let url = try await auth.startAuthorization(options)
        let query = try FormParameters(parsing: url.split(separator: "?", maxSplits: 1)[1])
        #expect(Set(query.all.map(\.name)) == ["client_id", "request_uri"])
        let browser = server.browser()
        let login = try await browser.open(url)
        #expect(login.page == "login" && login.body.contains(TestServer.username))
        let back = try #require(try await server.complete(login, in: browser).header("location"))
        guard
            case .code(let code) = try AuthorizationResponse(
                FormParameters(parsing: back.split(separator: "?", maxSplits: 1)[1]))?.outcome
        else { throw TestFailure("no code came") }
        let stolen = try await server.redeem(
            code, TestClients.tool, proof: PKCE(ambient: .live), redirectURI: callback)
        #expect(stolen.error == "invalid_grant")
        let result = try await auth.finishAuthorization(callbackURL: back)
        #expect(result.idToken?.subject == TestServer.subject.rawValue)
        #expect(await auth.state == .signedIn(.fresh))
        await server.stop()
    }

    @Test func `the wish for the sign-up page is handed in with the rest`() async throws {
        let server = try await TestServer.start()
        server.clock.advance(11)
        var options = SignInOptions(redirectURI: callback)
        options.page = .signup
        options.colorScheme = .dark
        let url = try await app(server).startAuthorization(options)
        #expect(url.contains("request_uri=") && !url.contains("x_page"))
        let page = try await server.browser().open(url)
        #expect(page.page == "signup" && page.body.contains("data-theme=\"dark\""))
        await server.stop()
    }

    @Test func `what the server refuses is refused at once, and no browser opens`() async throws {
        let server = try await TestServer.start()
        server.clock.advance(11)
        let error = await #expect(throws: AuthError.self) {
            try await app(server).startAuthorization(SignInOptions(redirectURI: "https://elsewhere.example/callback"))
        }
        #expect(error?.code == .refused && error?.server?.status == 400)
        await server.stop()
    }
}
