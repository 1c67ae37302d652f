import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Locks and expiry on the hosted pages")
struct HostedLockTests {
    private static let settings = MethodSettings(
        passwords: PasswordSettings(lockAttempts: 3, lockSeconds: 900))

    private func guess(
        _ server: TestServer, _ password: String = "wrong", from network: String
    ) async throws -> SignIn.Outcome {
        try await server.services.signIn.check(
            loginID: TestServer.username, password: Secret(password), from: NetworkAddress(network))
    }

    /// Waits for what slows guesses down anyway, so that the lock alone is seen.
    private func lock(_ server: TestServer, from network: String) async throws {
        for _ in 1...3 {
            guard case .wrong = try await guess(server, from: network) else { throw TestFailure("not taken") }
            server.clock.advance(60)
        }
    }

    @Test func `80: wrong passwords lock a stranger's network, the right one included`() async throws {
        let server = try await TestServer.start(methodSettings: Self.settings)
        try await lock(server, from: "192.0.2.1")
        let browser = server.browser()
        guard case .throttled(let seconds) = try await guess(server, TestServer.password, from: "192.0.2.1") else {
            throw TestFailure("not locked")
        }
        #expect((600...900).contains(seconds))
        // Strangers elsewhere share the lock: an attacker has many networks.
        let page = try await server.loginPage(browser)
        let answer = try await server.complete(
            page, in: browser, username: TestServer.username, password: TestServer.password)
        #expect(answer.status == 429 && answer.page == "login" && answer.header("Retry-After") != nil)
        server.clock.advance(900)
        guard case .recognised = try await guess(server, TestServer.password, from: "192.0.2.1") else {
            throw TestFailure("still locked")
        }
        await server.stop()
    }

    @Test func `80: no stranger locks a device that signed in before`() async throws {
        let server = try await TestServer.start(methodSettings: Self.settings)
        guard case .recognised = try await guess(server, TestServer.password, from: "198.51.100.7") else {
            throw TestFailure("not recognised")
        }
        for network in ["192.0.2.1", "192.0.2.2"] {
            for _ in 1...4 {
                _ = try await guess(server, from: network)
                server.clock.advance(60)
            }
        }
        guard case .throttled = try await guess(server, TestServer.password, from: "192.0.2.3") else {
            throw TestFailure("strangers are not locked out")
        }
        guard case .recognised = try await guess(server, TestServer.password, from: "198.51.100.7") else {
            throw TestFailure("the owner is locked out")
        }
        await server.stop()
    }

    @Test func `80: wrong passwords on the wire and on the pages count together`() async throws {
        let server = try await TestServer.start(methodSettings: Self.settings)
        try await lock(server, from: "192.0.2.1")
        await #expect(throws: MethodProblem.self) {
            try await server.services.methods.passwords.signIn(
                loginID: TestServer.username, password: Secret(TestServer.password), from: NetworkAddress("192.0.2.9"))
        }
        await server.stop()
    }

    @Test func `a right password ends the count`() async throws {
        let server = try await TestServer.start(methodSettings: Self.settings)
        for _ in 1...3 {
            for _ in 1...2 {
                _ = try await guess(server, from: "192.0.2.1")
                server.clock.advance(60)
            }
            guard case .recognised = try await guess(server, TestServer.password, from: "192.0.2.1") else {
                throw TestFailure("locked too early")
            }
        }
        await server.stop()
    }

    @Test func `a password that lasts so many weeks is replaced on a page of its own`() async throws {
        let server = try await TestServer.start(
            methodSettings: MethodSettings(passwords: PasswordSettings(expirationWeeks: 1, reuseMax: 2)))
        server.clock.advance(8 * 86_400)
        let browser = server.browser()
        let page = try await server.complete(
            try await server.loginPage(browser), in: browser, username: TestServer.username,
            password: TestServer.password)
        let shown = try await browser.open(page.header("location") ?? page.url)
        #expect(shown.page == "password-expired")
        #expect(browser.cookieJar["keyturn-session"] == nil)
        await server.stop()
    }
}
