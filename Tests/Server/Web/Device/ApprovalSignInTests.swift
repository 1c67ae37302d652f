import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

@Suite("Sign-ins on the sign-in page that are approved on another device")
struct ApprovalSignInTests {
    static let path = "/settings/approvals"

    static func start(
        pushes: Bool = false, clients: [Client] = [], onStatement: (@Sendable (String) -> Void)? = nil
    ) async throws -> TestServer {
        try await TestServer.start(
            clients: clients, project: { Project(id: "test", name: "Test", issuer: $0, hasPushService: pushes) },
            methodSettings: MethodSettings(approval: ApprovalSettings(seconds: 180)), onStatement: onStatement)
    }

    /// The browser that waits, after the name was typed.
    static func ask(
        _ server: TestServer, _ desktop: ScriptedBrowser, name: String = TestServer.username, proof: PKCE? = nil,
        _ change: (inout AuthorizationRequest) -> Void = { _ in }
    ) async throws -> ScriptedBrowser.Screen {
        try await desktop.submit(
            try await server.loginPage(desktop, proof: proof, change), ["username": name, "action": "approval"])
    }

    static func number(_ screen: ScriptedBrowser.Screen) throws -> String {
        let parts = screen.body.components(separatedBy: "class=\"number\"")
        return try #require(
            parts.last?.components(separatedBy: "<strong>").dropFirst().first.map { String($0.prefix(2)) })
    }

    static func status(_ server: TestServer, _ waiting: ScriptedBrowser.Screen, _ browser: ScriptedBrowser)
        async throws -> Int
    {
        try await browser.open("/login/approval-status?transaction=\(server.transaction(of: waiting))").status
    }

    /// The page waits as if no user had seen the request, until it expires.
    static func expectNoAnswer(_ server: TestServer, _ waiting: ScriptedBrowser.Screen, _ browser: ScriptedBrowser)
        async throws
    {
        #expect(try await status(server, waiting, browser) == 204)
        let page = try await browser.open(waiting.url)
        #expect(page.page == "approval" && !page.body.contains("not approved in time"))
        #expect(browser.cookieJar["keyturn-session"] == nil)
        server.clock.advance(180)
        #expect(try await status(server, waiting, browser) == 200)
        #expect(try await browser.open(waiting.url).body.contains("not approved in time"))
    }

    @Test func `B-6, B-11: the number is typed on the telephone, and the waiting browser goes on`() async throws {
        let server = try await Self.start()
        let (telephone, desktop, proof) = (server.browser(), server.browser(), PKCE(ambient: .live))
        _ = try await server.visit(Self.path, in: telephone)
        let signedInAt = server.clock.now
        server.clock.advance(100)
        let waiting = try await Self.ask(server, desktop, proof: proof)
        #expect(waiting.page == "approval")
        #expect(try await Self.status(server, waiting, desktop) == 204)
        #expect(try await desktop.open(waiting.url).page == "approval")
        let page = try await telephone.open(Self.path)
        let shown = ">\(try Self.number(waiting))<"
        #expect(page.body.contains("on another device?") && !page.body.contains(shown))
        let done = try await telephone.submit(page, ["action": "allow", "number": try Self.number(waiting)])
        #expect(done.url.hasSuffix("done=allowed"))
        #expect(try await Self.status(server, waiting, desktop) == 200)
        let finished = try await desktop.submit(waiting, ["action": "refresh"])
        let claims = try await server.claims(of: finished, proof: proof)
        #expect(claims["amr"] == ["mca"] && claims["sub"]?.stringValue == TestServer.subject.rawValue)
        #expect(claims["auth_time"]?.integerValue == signedInAt.rawValue, "an approval is no newer than its sign-in")
        #expect(try await server.auditCount(.approvalCollected) == 1)
        await server.stop()
    }

    @Test func `B-4: the result is collected once, and only by the browser that asked`() async throws {
        let server = try await Self.start()
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        let waiting = try await Self.ask(server, desktop)
        let page = try await telephone.open(Self.path)
        _ = try await telephone.submit(page, ["action": "allow", "number": try Self.number(waiting)])
        let thief = server.browser()
        _ = try await server.loginPage(thief)
        let stolen = try await thief.open(waiting.url)
        #expect(stolen.page != "approval" && thief.cookieJar["keyturn-session"] == nil)
        _ = try await desktop.open(waiting.url)
        #expect(desktop.cookieJar["keyturn-session"] != nil)
        let again = try await desktop.open(waiting.url)
        #expect(again.body.contains("not approved in time"))
        #expect(try await server.auditCount(.approvalCollected) == 1)
        await server.stop()
    }

    @Test func `B-6: a session of an approval approves nothing`() async throws {
        let server = try await Self.start()
        let (telephone, desktop, third) = (server.browser(), server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        let waiting = try await Self.ask(server, desktop)
        let page = try await telephone.open(Self.path)
        _ = try await telephone.submit(page, ["action": "allow", "number": try Self.number(waiting)])
        _ = try await desktop.open(waiting.url)
        let next = try await Self.ask(server, third)
        let fields: KeyValuePairs<String, String?> = ["action": "allow", "number": try Self.number(next)]
        let screen = try await desktop.submit(try await desktop.open(Self.path), fields)
        #expect(screen.page == "login")
        #expect(try await server.auditCount(.backchannelAllowed) == 1, "nothing was decided")
        #expect(try await Self.status(server, next, third) == 204)
        // In another way the user is signed in as anywhere.
        let again = try await desktop.submit(
            screen, ["username": TestServer.username, "password": TestServer.password])
        #expect(again.page == "settings-approvals")
        #expect(try await desktop.submit(again, fields).url.hasSuffix("done=allowed"))
        #expect(try await Self.status(server, next, third) == 200)
        await server.stop()
    }

    @Test func `B-7: an unknown user, one without a session and a blocked one get the same page`() async throws {
        let server = try await Self.start()
        try await server.addBea()
        for name in ["unknown@example.com", "bea@example.com", "+4930123456", "no such name"] {
            let desktop = server.browser()
            let waiting = try await Self.ask(server, desktop, name: name)
            #expect(waiting.page == "approval", "\(name)")
            #expect(try await Self.status(server, waiting, desktop) == 204)
            server.clock.advance(180)
            #expect(try await Self.status(server, waiting, desktop) == 200)
            #expect(try await desktop.open(waiting.url).body.contains("not approved in time"))
        }
        let missing = try await Self.ask(server, server.browser(), name: "")
        #expect(missing.page == "login" && missing.status == 422)
        await server.stop()
    }

    @Test
    func
        `B-1, B-7: “This was not me” refuses without a sign of it, and hides all requests of sign-in pages for an hour`()
        async throws
    {
        let server = try await Self.start()
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        let waiting = try await Self.ask(server, desktop)
        let page = try await telephone.open(Self.path)
        #expect(try await telephone.submit(page, ["action": "unknown"]).url.hasSuffix("done=blocked"))
        try await Self.expectNoAnswer(server, waiting, desktop)
        let over = try await desktop.open(waiting.url)
        let again = try await desktop.submit(over, ["action": "again"])
        #expect(again.page == "approval")
        #expect(try await Self.status(server, again, desktop) == 204)
        #expect(try await telephone.open(Self.path).body.contains("Nothing is waiting"))
        await server.stop()
    }

    @Test func `B-2, B-7: a wrong number refuses at once, one try, and the waiting page does not show it`() async throws
    {
        let server = try await Self.start()
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        let waiting = try await Self.ask(server, desktop)
        let right = try Self.number(waiting)
        let page = try await telephone.open(Self.path)
        let wrong = try await telephone.submit(page, ["action": "allow", "number": right == "42" ? "43" : "42"])
        #expect(wrong.status == 422 && wrong.body.contains("The number was wrong"))
        #expect(try await telephone.submit(page, ["action": "allow", "number": right]).status == 422)
        try await Self.expectNoAnswer(server, waiting, desktop)
        await server.stop()
    }

    @Test func `B-1: a user is asked a few times, then nothing arrives; a network is refused`() async throws {
        let server = try await Self.start()
        let telephone = server.browser()
        _ = try await server.visit(Self.path, in: telephone)
        for _ in 0..<3 { #expect(try await Self.ask(server, server.browser()).page == "approval") }
        #expect(try await telephone.open(Self.path).hidden("id").count == Int(Limits.approvalsPendingMax))
        for _ in 3..<Limits.approvalsPerNameMax { _ = try await Self.ask(server, server.browser()) }
        let refused = try await Self.ask(server, server.browser())
        #expect(refused.status == 429 && refused.page == "login")
        await server.stop()
    }

    @Test func `B-3: another user's session sees and decides nothing`() async throws {
        let server = try await Self.start()
        try await server.addBea()
        let (telephone, other, desktop) = (server.browser(), server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        _ = try await server.visit(Self.path, in: other, as: "bea@example.com")
        let waiting = try await Self.ask(server, desktop)
        let id = try await telephone.open(Self.path).hidden("id").first
        let page = try await other.open(Self.path)
        #expect(page.body.contains("Nothing is waiting"))
        _ = try await Self.ask(server, server.browser(), name: "bea@example.com")
        let own = try await other.open(Self.path)
        for action in ["allow", "deny", "unknown"] {
            let screen = try await server.send(
                own, in: other, ["id": id, "action": action, "number": try Self.number(waiting)])
            #expect(screen.status == 422 && screen.body.contains("already decided"), "\(action)")
        }
        #expect(try await Self.status(server, waiting, desktop) == 204)
        await server.stop()
    }

    @Test func `B-8: an approval in a session that ends before it is collected is worth nothing`() async throws {
        let server = try await Self.start()
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        let waiting = try await Self.ask(server, desktop)
        let page = try await telephone.open(Self.path)
        _ = try await telephone.submit(page, ["action": "allow", "number": try Self.number(waiting)])
        for session in try await server.services.stores.sessions.sessions(
            of: TestServer.subject, limit: 9, at: server.clock.now)
        {
            _ = try await server.services.stores.sessions.end(
                session.session.id, of: TestServer.subject, at: server.clock.now)
        }
        try await Self.expectNoAnswer(server, waiting, desktop)
        await server.stop()
    }

    @Test func `B-9: a required authenticator app is asked for after an approval`() async throws {
        let server = try await Self.start()
        let telephone = server.browser()
        _ = try await server.visit(Self.path, in: telephone)
        let desktop = server.browser()
        let waiting = try await Self.ask(server, desktop)
        let page = try await telephone.open(Self.path)
        _ = try await telephone.submit(page, ["action": "allow", "number": try Self.number(waiting)])
        _ = try await server.giveAuthenticator()
        let next = try await desktop.open(waiting.url)
        #expect(next.page == "code" && desktop.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test func `max_age holds for the session that approves`() async throws {
        let server = try await Self.start()
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        server.clock.advance(100)
        let waiting = try await Self.ask(server, desktop) { $0.maxAge = "60" }
        let page = try await telephone.open(Self.path)
        _ = try await telephone.submit(page, ["action": "allow", "number": try Self.number(waiting)])
        #expect(try await desktop.open(waiting.url).body.contains("not approved in time"))
        await server.stop()
    }

    @Test func `without the setting the method is not offered, and its button does nothing`() async throws {
        let server = try await TestServer.start()
        let desktop = server.browser()
        let page = try await server.loginPage(desktop)
        #expect(!page.body.contains("value=\"approval\""))
        let pressed = try await desktop.submit(page, ["username": TestServer.username, "action": "approval"])
        #expect(pressed.page == "login")
        #expect(try await server.auditCount(.backchannelAsked) == 0)
        await server.stop()
    }

    @Test func `B-11: the push service is told instead of the mailbox, and never the number`() async throws {
        let server = try await Self.start(pushes: true)
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Self.path, in: telephone)
        let waiting = try await Self.ask(server, desktop)
        let message = try await server.message(to: TestServer.subject.rawValue)
        #expect(message.channel == .push && message.kind == .signInRequested && message.code == nil)
        #expect(message.links == [server.issuer + Self.path])
        #expect(message.values[MessageValue.clientName] == "Client portal")
        #expect(message.values[MessageValue.requestName]?.isEmpty == false)
        let number = try Self.number(waiting)
        #expect(!message.values.values.contains(number))
        #expect(try await server.messageCount(to: TestServer.username) == 0)
        await server.stop()
    }
}
