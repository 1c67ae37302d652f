import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import SignIn
import Testing

/// An app asks for one account, and another user signs in on the page.
@Suite("A sign-in by another person than the app asks for")
struct OtherAccountTests {
    private static let nina = "nina@example.com"
    private static let password = "another-horse-battery"

    private static func server() async throws -> TestServer {
        let server = try await TestServer.start()
        let identifier = try #require(Identifier(loginID: nina))
        let now = server.clock.now
        let user = User(id: .make(.live), claims: ["name": "Nina Berg"], createdAt: now, updatedAt: now)
        try await server.services.stores.users.create(
            Account(
                user: user, identifiers: [identifier: .verified],
                passwordHash: try await server.services.passwords.hash(Secret(password))))
        return server
    }

    /// A request for the user of every test server, opened in a browser without their session.
    private static func page(_ server: TestServer, _ browser: ScriptedBrowser, isHinted: Bool = true) async throws
        -> ScriptedBrowser.Screen
    {
        let tokens = try await server.tokens(TestClients.portal)
        var request = server.request(TestClients.portal, proof: nil)
        request.maxAge = "0"
        request.prompt = "login"
        if isHinted {
            request.idTokenHint = tokens.idToken
        } else {
            request.claims = #"{"id_token":{"sub":{"value":"\#(TestServer.subject.rawValue)"}}}"#
        }
        return try await server.authorize(request, in: browser)
    }

    private static func signIn(_ screen: ScriptedBrowser.Screen, _ browser: ScriptedBrowser, as name: String = nina)
        async throws -> ScriptedBrowser.Screen
    {
        try await browser.submit(screen, ["username": name, "password": name == nina ? password : TestServer.password])
    }

    @Test func `the page says which account is asked for, and the right user comes through`() async throws {
        let server = try await Self.server()
        let browser = server.browser()
        let login = try await Self.page(server, browser)
        #expect(login.page == "login")
        #expect(login.body.contains("asks for the account a***@e******.com"), "masked: the link may be a stranger's")
        #expect(!login.body.contains("andy@"))
        let other = try await Self.signIn(login, browser)
        #expect(other.page == "other-account")
        #expect(other.body.contains("a***@e******.com") && other.body.contains("Nina Berg"))
        let again = try await browser.submit(other, ["action": "other"])
        #expect(again.page == "login", "the other user is out of the way")
        let done = try await Self.signIn(again, browser, as: TestServer.username)
        guard case .code = try TestServer.callback(done)?.outcome else {
            Issue.record("page \(done.page ?? "none"), status \(done.status)")
            return
        }
        await server.stop()
    }

    @Test func `whoever gives up sends the app a word of its own, and no code`() async throws {
        let server = try await Self.server()
        let browser = server.browser()
        let other = try await Self.signIn(try await Self.page(server, browser), browser)
        let answer = try await browser.submit(other, ["action": "give-up"])
        let outcome = try TestServer.callback(answer)?.outcome
        #expect(
            outcome
                == .refused(OAuthProblem(.loginRequired, "another person signed in than the request is for")))
        // Before a sign-in, giving up is an ordinary refusal.
        let fresh = server.browser()
        let cancelled = try await fresh.submit(try await Self.page(server, fresh), ["action": "give-up"])
        guard case .refused(let problem) = try TestServer.callback(cancelled)?.outcome else {
            Issue.record("no refusal")
            return
        }
        #expect(problem.code == .accessDenied)
        await server.stop()
    }

    /// A client knows only what it was told of a user whom it names by identifier.
    @Test func `without an ID token the page names no account`() async throws {
        let server = try await Self.server()
        let browser = server.browser()
        let login = try await Self.page(server, browser, isHinted: false)
        #expect(login.body.contains("asks for another account"))
        let other = try await Self.signIn(login, browser)
        #expect(other.page == "other-account")
        for screen in [login, other] { #expect(!screen.body.contains("a***@") && !screen.body.contains("andy@")) }
        await server.stop()
    }

    @Test func `the page stays through reloads and wrong passwords, and never becomes an empty one`() async throws {
        let server = try await Self.server()
        let browser = server.browser()
        var screen = try await Self.signIn(try await Self.page(server, browser), browser)
        for _ in 0..<3 {
            #expect(screen.page == "other-account")
            let login = try await browser.submit(screen, ["action": "other"])
            let wrong = try await browser.submit(login, ["username": Self.nina, "password": "a slip"])
            #expect(wrong.page == "login" && wrong.body.contains("role=\"alert\""))
            screen = try await Self.signIn(wrong, browser)
        }
        await server.stop()
    }

    @Test func `a sign-in of any user is told of no account`() async throws {
        let server = try await Self.server()
        let login = try await server.authorize(server.request(TestClients.portal, proof: nil), in: server.browser())
        #expect(!login.body.contains("asks for"))
        await server.stop()
    }
}
