import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// The link with which the owner of an account says that a sign-in was not theirs.
@Suite("Disputed sign-ins")
struct DisputeTests {
    /// A server where a stranger signed in with the password; and the owner's and the stranger's tokens.
    private struct Scene {
        let server: TestServer
        let owner: ScriptedBrowser
        let stranger: ScriptedBrowser
        let ownTokens: TokenResponse
        let stolenTokens: TokenResponse
        let link: String

        init() async throws {
            server = try await TestServer.startWithNotices()
            owner = server.browser()
            ownTokens = try await server.tokens(TestClients.portal, in: owner)
            server.clock.advance(600)
            stranger = server.browser()
            stolenTokens = try await server.tokens(TestClients.portal, in: stranger)
            link = server.path(try #require(try await server.notices().first?.links.first))
        }

        func disputes() async throws -> Int {
            var query = AuditQuery()
            query.limit = 1_000
            return try await server.services.auditEvents(query).count { $0.kind == .signInDisputed }
        }

        func renews(_ tokens: TokenResponse) async throws -> Bool {
            try await server.refresh(tokens.refreshToken, TestClients.portal).status == 200
        }

        func isSignedIn(_ browser: ScriptedBrowser) async throws -> Bool {
            try await browser.open("/settings/sessions").page == "settings-sessions"
        }
    }

    @Test func `88: the link changes nothing when it is opened, and ends the session when its button is pressed`()
        async throws
    {
        let scene = try await Scene()
        let server = scene.server
        #expect(scene.link.hasPrefix("/sign-in/dispute?t="))
        let reader = server.browser()
        for _ in 0..<3 { #expect(try await reader.open(scene.link).page == "dispute") }
        let page = try await reader.open(scene.link)
        #expect(try await scene.isSignedIn(scene.stranger))
        let foreign = server.browser()
        _ = try await foreign.open(scene.link)
        #expect(try await foreign.submit(page, [:]).status == 403)
        #expect(try await scene.disputes() == 0)

        let done = try await reader.submit(page, [:])
        #expect(done.page == "dispute" && done.body.contains("/settings/password") && !done.body.contains("<form"))
        #expect(try await !scene.isSignedIn(scene.stranger))
        #expect(try await scene.isSignedIn(scene.owner))
        #expect(try await !scene.renews(scene.stolenTokens))
        #expect(try await scene.renews(scene.ownTokens))
        #expect(try await scene.disputes() == 1)

        // The password is known to a stranger, who cannot replace it either.
        #expect(try await server.enter(scene.stranger).page == "login")
        let account = try #require(try await server.account(TestServer.username))
        #expect(account.passwordHash == nil)
        // The owner can, with the mailbox.
        let browser = server.browser()
        server.clock.advance(1)
        _ = try await browser.submit(try await server.openReset(browser), ["username": TestServer.username])
        let link = server.path(try #require(try await server.message(to: TestServer.username).links.first))
        let new = try await browser.submit(try await browser.open(link), ["action": "continue"])
        #expect(new.page == "password-new")
        let back = try await browser.submit(new, ["password": "another-fine-phrase"])
        #expect(back.header("location")?.hasPrefix(TestClients.callback) == true)
        #expect(try await !scene.isSignedIn(scene.owner), "a new password ends every session")
        await server.stop()
    }

    @Test func `the link works once, and after its session has gone`() async throws {
        let scene = try await Scene()
        let server = scene.server
        _ = try await scene.stranger.submit(try await scene.stranger.open("/logout"), ["action": "logout"])
        #expect(try await !scene.isSignedIn(scene.stranger))
        let reader = server.browser()
        let page = try await reader.open(scene.link)
        #expect(try await reader.submit(page, [:]).page == "dispute")
        #expect(try await scene.disputes() == 1)
        let epoch = try #require(try await server.account(TestServer.username)).user.epoch
        // A new password is not removed by a second use.
        try await server.services.stores.passwords.set(
            try await server.services.passwords.hash(Secret("a new password of mine")), of: TestServer.subject,
            at: server.clock.now)
        for _ in 0..<2 { #expect(try await !reader.submit(page, [:]).body.contains("<form")) }
        #expect(try await !reader.open(scene.link).body.contains("<form"))
        #expect(try await scene.disputes() == 1)
        let account = try #require(try await server.account(TestServer.username))
        #expect(account.passwordHash != nil && account.user.epoch >= epoch)
        await server.stop()
    }

    @Test func `the link ends at its second, and no other text is one`() async throws {
        let scene = try await Scene()
        let server = scene.server
        let reader = server.browser()
        let page = try await reader.open(scene.link)
        server.clock.advance(Limits.disputeSeconds - 1)
        #expect(try await reader.open(scene.link).body.contains("<form"))
        server.clock.advance(1)
        #expect(try await !reader.open(scene.link).body.contains("<form"))
        #expect(try await !reader.submit(page, [:]).body.contains("<form"))
        for text in ["", "A", String(scene.link.suffix(60)), "%22%3E%3Cscript%3E"] {
            let other = try await reader.open("/sign-in/dispute?t=\(text)")
            #expect(other.status == 200 && other.page == "dispute" && !other.body.contains("<form"), "\(text)")
            #expect(!other.body.contains("<script>"))
        }
        #expect(try await scene.disputes() == 0)
        await server.stop()
    }

    @Test func `what was added since goes, and what was under way opens nothing`() async throws {
        let scene = try await Scene()
        let server = scene.server
        // A sign-in that is under way in the old epoch.
        let waiting = server.browser()
        server.clock.advance(1)
        let page = try await server.askForCode(waiting)
        let code = try #require(try await server.message(to: TestServer.username).code)
        server.clock.advance(60)
        _ = try await server.giveAuthenticator()
        let reader = server.browser()
        _ = try await reader.submit(try await reader.open(scene.link), [:])
        let account = try #require(try await server.account(TestServer.username))
        #expect(!account.hasAuthenticator)
        let answer = try await waiting.submit(page, ["code": code])
        #expect(answer.page == "code" && waiting.cookieJar["keyturn-session"] == nil, "it is void")
        await server.stop()
    }

    @Test func `the stranger's device is new again, and the owner's is not`() async throws {
        let scene = try await Scene()
        let server = scene.server
        let reader = server.browser()
        _ = try await reader.submit(try await reader.open(scene.link), [:])
        try await server.services.stores.passwords.set(
            try await server.services.passwords.hash(Secret(TestServer.password)), of: TestServer.subject,
            at: server.clock.now)
        try await server.enter(scene.owner)
        #expect(try await server.newestSignIn() == ["pwd", nil])
        try await server.enter(scene.stranger)
        #expect(try await server.newestSignIn() == ["pwd", "new_device"])
        #expect(try await server.notices().count == 2)
        await server.stop()
    }
}
