import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

/// A step of a sign-in that waited: what it rests on must still be there.
@Suite("89: a sign-in that waits ends with what it rests on")
struct WaitingSignInTests {
    private static let former = "former@example.com"
    private static let name: JSONValue = .string(TestServer.username)
    private static let new = "another-fine-phrase"

    /// A server whose user has a second proved address.
    private static func start(_ policy: AuthorityPolicy = AuthorityPolicy(secondFactor: .required)) async throws
        -> TestServer
    {
        let server = try await WireSecondFactorTests.start(policy)
        try await keep(true, on: server)
        return server
    }

    /// Adds the address, or removes it.
    private static func keep(_ isThere: Bool, on server: TestServer) async throws {
        let address = try #require(Identifier(loginID: former))
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            account.identifiers[address] = isThere ? .verified : nil
        }
    }

    @Test(arguments: [true, false])
    func `a reference of the wire begins no authenticator without the address`(_ stays: Bool) async throws {
        let server = try await Self.start()
        let reference = try #require(try await server.signInByCode(Self.former).pendingRef)
        try await Self.keep(stays, on: server)
        let begun = try await server.call("totp/update", ["loginId": Self.name], refresh: reference)
        #expect(begun.status == (stays ? 200 : 401))
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a reference of the wire opens no session without the address`(_ stays: Bool) async throws {
        let server = try await Self.start()
        let reference = try #require(try await server.signInByCode(Self.former).pendingRef)
        let begun = try await server.call("totp/update", ["loginId": Self.name], refresh: reference)
        let secret = try #require(TOTPSecret(typed: Secret(begun.json["key"]?.stringValue ?? "")))
        try await Self.keep(stays, on: server)
        let code = JSONValue.string(TOTPCode(secret).code(at: server.clock.now).exposed())
        let done = try await server.call("totp/verify", ["loginId": Self.name, "code": code], refresh: reference)
        #expect(done.status == (stays ? 200 : 401))
        #expect(try await server.account(TestServer.username)?.hasAuthenticator == stays)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a numbered link that was opened is collected by nobody without the address`(_ stays: Bool) async throws {
        let server = try await Self.start(AuthorityPolicy())
        let started = try await server.call("enchantedlink/signin/email", ["loginId": .string(Self.former)])
        let message = try await server.message(to: Self.former)
        let numbers = message.values[MessageValue.linkIDs]?.split(separator: " ").map(String.init) ?? []
        let right = try #require(numbers.firstIndex { $0 == started.json["linkId"]?.stringValue })
        let token = try #require(message.links[right].split(separator: "t=").last)
        #expect(try await server.call("enchantedlink/verify", ["token": .string(String(token))]).status == 200)
        try await Self.keep(stays, on: server)
        let reference = started.json["pendingRef"] ?? .null
        let collected = try await server.call("enchantedlink/pending-session", ["pendingRef": reference])
        #expect((collected.status == 200) == stays)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a page that waits for a new password sets none without the address`(_ stays: Bool) async throws {
        let server = try await Self.start(AuthorityPolicy())
        let browser = server.browser()
        let asked = try await browser.submit(try await server.openReset(browser), ["username": Self.former])
        let page = try await browser.submit(asked, ["code": try await server.message(to: Self.former).code])
        #expect(page.page == "password-new")
        try await Self.keep(stays, on: server)
        _ = try await browser.submit(page, ["password": Self.new])
        let signedIn = try await server.call(
            "password/signin", ["loginId": Self.name, "password": .string(Self.new)])
        #expect((signedIn.status == 200) == stays)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a page that sets an authenticator up is over without the address`(_ stays: Bool) async throws {
        let server = try await Self.start()
        let browser = server.browser()
        let asked = try await server.askForCode(browser, name: Self.former)
        let page = try await browser.submit(asked, ["code": try await server.message(to: Self.former).code])
        #expect(page.url.contains("/login/setup"))
        try await Self.keep(stays, on: server)
        let again = try await browser.open("/login/setup?transaction=\(server.transaction(of: page))")
        #expect((again.status == 200) == stays)
        await server.stop()
    }

    @Test func `a link that is opened beside a page that waits is no second factor of it`() async throws {
        let server = try await Self.start()
        let browser = server.browser()
        let page = try await server.secondFactorPage(browser)
        #expect(page.url.contains("/login/setup"))
        // Who has the browser says which sign-in waits there.
        browser.cookieJar["keyturn-waiting"] = server.transaction(of: page)
        #expect(try await server.call("magiclink/signin/email", ["loginId": Self.name]).status == 200)
        let link = try #require(try await server.message(to: TestServer.username).links.first)
        let next = try await browser.submit(try await browser.open(link), ["action": "continue"])
        #expect(next.url.contains("/login/setup"), "a sign-in of its own")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a page that asks for a code after an approval is over without the session that approved`(
        _ stays: Bool
    ) async throws {
        typealias Pages = ApprovalSignInTests
        let server = try await Pages.start()
        let (telephone, desktop) = (server.browser(), server.browser())
        _ = try await server.visit(Pages.path, in: telephone)
        let waiting = try await Pages.ask(server, desktop)
        let page = try await telephone.open(Pages.path)
        _ = try await telephone.submit(page, ["action": "allow", "number": try Pages.number(waiting)])
        let authenticator = try await server.giveAuthenticator()
        let asked = try await desktop.open(waiting.url)
        #expect(asked.page == "code")
        let (sessions, user) = (server.services.stores.sessions, TestServer.subject)
        for session in try await sessions.sessions(of: user, limit: 9, at: server.clock.now) where !stays {
            _ = try await sessions.end(session.session.id, of: user, at: server.clock.now)
        }
        _ = try await desktop.submit(asked, ["code": authenticator.code(at: server.clock.now).exposed()])
        #expect((desktop.cookieJar["keyturn-session"] != nil) == stays)
        await server.stop()
    }

    @Test(arguments: [true, false])
    func `a page that sets an authenticator up is over without the identity`(_ stays: Bool) async throws {
        let fixture = try await FederationFixture.startStrictly()
        let browser = fixture.server.browser()
        let page = try await fixture.pass(browser)
        #expect(page.url.contains("/login/setup"))
        if !stays { try await fixture.unlink() }
        let again = try await browser.open("/login/setup?transaction=\(fixture.server.transaction(of: page))")
        #expect((again.status == 200) == stays)
        await fixture.server.stop()
    }

    @Test(arguments: [true, false])
    func `a reference of the wire begins no authenticator without the identity`(_ stays: Bool) async throws {
        let fixture = try await FederationFixture.startStrictly()
        _ = try await fixture.pass(fixture.server.browser())
        let account = try #require(try await fixture.server.account(TestServer.username))
        var proof = ProvenIdentity(account: account, method: .social, isFirst: false)
        proof.federated = FederatedProfile.person("1").key(at: "acme")
        var reference: Secret?
        do {
            _ = try await fixture.server.services.sessions.open(proof, options: .none, presented: nil, from: nil)
        } catch let problem as MethodProblem {
            reference = problem.pendingRef
        }
        if !stays { try await fixture.unlink() }
        let begun = try await fixture.server.call(
            "totp/update", ["loginId": Self.name], refresh: try #require(reference).exposed())
        #expect(begun.status == (stays ? 200 : 401))
        await fixture.server.stop()
    }
}

extension FederationFixture {
    /// An identity that leads to the tests' user, where each user needs a second factor.
    fileprivate static func startStrictly() async throws -> FederationFixture {
        try await start(
            .person("1", email: TestServer.username),
            project: {
                Project(id: "test", name: "Test", issuer: $0, authority: AuthorityPolicy(secondFactor: .required))
            })
    }

    fileprivate func unlink() async throws {
        let ways = SignInWays(passwords: true, passkeys: false, reached: [.email], connections: [])
        let result = try await server.services.stores.identities.unlink(
            FederatedProfile.person("1").key(at: "acme"), of: TestServer.subject, leaving: ways, at: server.clock.now)
        #expect(result == .unlinked)
    }
}
