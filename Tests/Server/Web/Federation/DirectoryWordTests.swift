import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

@Suite("A directory that checks passwords is a provider")
struct DirectoryWordTests {
    private static let members = Journey(
        name: "members",
        steps: [
            JourneyStep("who", .identify(allowsSignUp: false), next: "first"),
            JourneyStep("first", .prove(JourneyProof([.password])), next: "end"), JourneyStep("end", .done),
        ])

    @Test func `a session that its password opened is of a provider`() async throws {
        let fixture = try await DirectoryFixture.start()
        #expect(try await fixture.signsIn("jane"))
        let user = try #require(try await fixture.holder)
        let sessions = try await fixture.server.services.stores.sessions.sessions(
            of: user, limit: 10, at: fixture.server.clock.now)
        #expect(sessions.map(\.session.authentication.isOfProvider) == [true])
        #expect(sessions.map(\.session.authentication.contextClass) == [AuthenticationFacts.passwordClass])
        let call = try await fixture.call("jane")
        #expect(call.status == 200 && call.methods == ["pwd"])
        await fixture.server.stop()
    }

    @Test("L-13: it sets an authenticator up for users, and for no operator", arguments: [false, true])
    func setUp(isOperator: Bool) async throws {
        let fixture = try await DirectoryFixture.start()
        let server = fixture.server
        #expect(try await fixture.signsIn("jane@a.example"))
        let user = try #require(try await fixture.holder)
        if isOperator {
            _ = try await server.services.stores.consoleOperators.set(
                .owner, of: user, by: "test", keepingOwner: false, at: server.clock.now)
        }
        let browser = server.browser()
        let page = try await server.loginPage(browser) { $0.acrValues = AuthenticationFacts.severalFactorsClass }
        let next = try await browser.submit(
            page, ["username": "jane@a.example", "password": DirectoryFixture.password])
        #expect(next.page == (isOperator ? "login" : "totp-setup"))
        let opened = try await fixture.call("jane@a.example")
        #expect(opened.status == 200)
        for (path, body) in [
            ("totp/update", [:]), ("password/update", ["newPassword": "another-password-of-hers"]),
        ] as [(String, [String: JSONValue])] {
            let answer = try await server.call(
                path, .object(body.merging(["loginId": "jane@a.example"]) { own, _ in own }),
                refresh: opened.refreshJWT)
            #expect(answer.status == (isOperator ? 403 : 200), "\(path)")
            #expect(answer.missing == (isOperator ? "recent_sign_in" : nil), "\(path)")
        }
        await server.stop()
    }

    @Test func `L-14: it opens no account in a journey that lets no user sign up`() async throws {
        let fixture = try await DirectoryFixture.start(journeys: [Self.members])
        let server = fixture.server
        let browser = server.browser()
        let page = try await server.loginPage(browser) { $0.extra.append("journey", "members") }
        let refused = try await browser.submit(page, ["username": "jane", "password": DirectoryFixture.password])
        #expect(refused.status == 422 && refused.page == "login")
        #expect(try await fixture.holder == nil)
        #expect(try await fixture.signsIn("jane"))
        let known = server.browser()
        let done = try await server.complete(
            try await server.loginPage(known) { $0.extra.append("journey", "members") }, in: known, username: "jane",
            password: DirectoryFixture.password)
        #expect(try FederationFixture.hasCode(done))
        await server.stop()
    }
}
