import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// What a stranger changes in a disputed sign-in, and before its session is open.
@Suite("Changes in a disputed sign-in")
struct DisputedChangeTests {
    private static let evil = "evil@example.com"

    /// Presses the button behind the newest message about a sign-in.
    private func dispute(_ server: TestServer) async throws {
        let link = server.path(try #require(try await server.notices().last?.links.first))
        let reader = server.browser()
        #expect(try await reader.submit(try await reader.open(link), [:]).page == "dispute")
    }

    @Test func `a stranger's address goes, the owner's comes back, and a reset goes to the owner alone`()
        async throws
    {
        let server = try await TestServer.startWithNotices()
        try await server.enter(server.browser())
        server.clock.advance(600)
        let thief = server.browser()
        let page = try await server.visit("/settings/identifiers", in: thief)
        let asked = try await server.send(page, in: thief, ["action": "add", "identifier": Self.evil])
        let code = try #require(try await server.message(to: Self.evil).code)
        var names = try await server.send(asked, in: thief, ["code": code])
        #expect(names.hasNotice)
        names = try await server.send(names, in: thief, ["action": "primary", "kind": "email", "value": Self.evil])
        #expect(names.hasNotice)
        names = try await server.send(
            names, in: thief, ["action": "remove", "kind": "email", "value": TestServer.username])
        #expect(names.hasNotice)
        #expect(try await server.account(TestServer.username) == nil)
        #expect(try await server.account(Self.evil)?.email == Self.evil)

        try await dispute(server)
        let account = try #require(try await server.account(TestServer.username))
        #expect(account.user.id == TestServer.subject && account.identifiers.count == 1)
        #expect(account.email == TestServer.username && account.isEmailVerified)
        #expect(try await server.account(Self.evil) == nil)
        let sent = try await server.messageCount(to: Self.evil)
        for name in [Self.evil, TestServer.username] {
            let browser = server.browser()
            server.clock.advance(1)
            _ = try await browser.submit(try await server.openReset(browser), ["username": name])
        }
        #expect(try await server.messageCount(to: Self.evil) == sent)
        let link = server.path(try #require(try await server.message(to: TestServer.username).links.first))
        let browser = server.browser()
        #expect(try await browser.submit(try await browser.open(link), ["action": "continue"]).page != "settings")
        await server.stop()
    }

    @Test func `an authenticator that was set up on the way to the session goes`() async throws {
        let steps = [
            JourneyStep("first", .prove(JourneyProof()), next: "second"),
            JourneyStep("second", .stepUp(JourneyProof([.totp])), when: .risk([.newDevice]), next: "terms"),
            JourneyStep(
                "terms", .accept(JourneyDocument(name: "terms", version: "1", uri: "https://example.com")), next: "end"),
            JourneyStep("end", .done),
        ]
        let server = try await TestServer.startWithNotices(journeys: [Journey(name: "slow", steps: steps)])
        try await server.enter(server.browser())
        server.clock.advance(600)
        let thief = server.browser()
        let setup = try await server.enter(thief) { $0.extra.append("journey", "slow") }
        #expect(setup.page == "totp-setup")
        let key = try #require(setup.body.split(separator: "class=\"key\"><code>").last?.prefix { $0 != "<" })
        server.clock.advance(60)
        let code = TOTPCode(try #require(TOTPSecret(typed: Secret(String(key))))).code(at: server.clock.now)
        let terms = try await thief.submit(setup, ["code": code.exposed()])
        #expect(terms.page == "journey-step")
        server.clock.advance(60)
        #expect(try await thief.submit(terms, ["action": "accept"]).page == "recovery-codes")
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == true)
        try await dispute(server)
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == false)
        await server.stop()
    }
}
