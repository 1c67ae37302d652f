import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

@Suite("Operators: what their sessions and tokens open")
struct OperatorSessionTests {
    @Test func `O-7: an app's session opens no page of the console`() async throws {
        let server = try await OperatorEscalationTests.start()
        try await server.makeOperator(.owner)
        let account = try #require(try await server.services.stores.users.account(TestServer.subject))
        let facts = AuthenticationFacts(
            time: server.clock.now, methods: TestServer.strongMethods,
            contextClass: AuthenticationFacts.severalFactorsClass)
        _ = try await server.tokens(TestClients.web)
        let grant = try #require(
            try await server.services.stores.grants.grants(of: account.user.id, limit: 1, at: server.clock.now).first?
                .id
        )
        let cookie = Secret("the-cookie-of-a-session-of-an-app")
        let session = BrowserSession(
            id: SessionID(rawValue: "a-session-of-an-app"), userID: account.user.id, authentication: facts,
            createdAt: server.clock.now, expiresAt: server.clock.now + 600, openedBy: grant)
        let isOpen = try await server.services.stores.sessions.create(
            session, epoch: account.user.epoch, digest: SecretDigest(of: cookie), replacing: nil, at: server.clock.now)
        try #require(isOpen)
        let page = try await server.console("/admin", cookie)
        #expect(page.status == 303 && page.headers["location"]?.hasPrefix("/login?") == true)
        await server.stop()
    }

    @Test func `O-4: the scope of the management interface is asked for each time, of our own clients too`()
        async throws
    {
        let server = try await OperatorEscalationTests.start()
        try await server.makeOperator(.owner)
        let browser = server.browser()
        browser.cookieJar["keyturn-session"] = try await server.sessionCookie().exposed()
        let managing = "openid \(Scope.management)"
        for _ in 0..<2 {
            let page = try await server.authorize(Self.request(server, scope: managing), in: browser)
            #expect(page.page == "consent" && page.body.contains("Administer this server"))
            let allowed = try await browser.submit(page, ["action": "allow"])
            guard case .code = try #require(try TestServer.callback(allowed)).outcome else {
                Issue.record("no code after the user agreed")
                continue
            }
        }
        var silently = Self.request(server, scope: managing)
        silently.prompt = "none"
        let silent = try await server.authorize(silently, in: browser)
        guard case .refused(let problem) = try #require(try TestServer.callback(silent)).outcome else {
            Issue.record("a code without a page")
            await server.stop()
            return
        }
        #expect(problem.code == .consentRequired)
        let plain = try await server.authorize(Self.request(server, scope: "openid"), in: browser)
        #expect(try TestServer.callback(plain) != nil, "without the scope, nothing is asked")
        await server.stop()
    }

    private static func request(_ server: TestServer, scope: String) -> AuthorizationRequest {
        var request = server.request(OperatorEscalationTests.remote, proof: PKCE(ambient: .live))
        request.scope = scope
        return request
    }

    @Test func `a user is let in again after a sign-in of the last minutes, and kept out without`() async throws {
        let server = try await OperatorEscalationTests.start()
        let user = try await server.made("user@example.com")
        try await server.makeOperator(.support)
        let old = OperatorVisit(server: server, cookie: try await server.sessionCookie(ago: Limits.sensitiveSeconds))
        let id = user.user.id.rawValue
        let disabled = try await old.post("/admin/users/user/sessions", ["id": id, "action": "disable"])
        #expect(disabled.headers["location"]?.contains("done=disabled") == true)
        let enabled = try await old.post("/admin/users/user/sessions", ["id": id, "action": "enable"])
        #expect(enabled.status == 303 && enabled.headers["location"]?.hasPrefix("/login?transaction=") == true)
        #expect(try await server.services.stores.users.account(user.user.id)?.user.status == .disabled)
        let ended = try await old.post("/admin/users/user/sessions", ["id": id, "action": "end-all"])
        #expect(ended.headers["location"]?.contains("done=allEnded") == true)
        await server.stop()
    }
}
