import Account
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Guesses at all login IDs of an account")
struct AccountGuessTests {
    private static let names = [TestServer.username, "+15551234567", "andy"]

    private func start(_ settings: MethodSettings = MethodSettings()) async throws -> TestServer {
        let server = try await TestServer.start(methodSettings: settings)
        let names = try Self.names.map { try #require(Identifier(loginID: $0)) }
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            for name in names { account.identifiers[name] = .verified }
        }
        return server
    }

    private func guess(_ server: TestServer, _ name: String, _ password: String = "wrong", from network: String)
        async throws -> String
    {
        let outcome = try await server.services.signIn.check(
            loginID: name, password: Secret(password), from: NetworkAddress(network))
        switch outcome {
        case .recognised: return "right"
        case .wrong: return "wrong"
        case .throttled: return "throttled"
        default: return "\(outcome)"
        }
    }

    @Test func `attack 80: ten guesses at an account are ten, whichever name is typed, and no answer tells`()
        async throws
    {
        let server = try await start()
        for round in 1...10 {
            #expect(try await guess(server, Self.names[round % 3], from: "192.0.2.1") == "wrong")
        }
        for name in Self.names {
            #expect(try await guess(server, name, TestServer.password, from: "192.0.2.1") == "wrong", "not compared")
        }
        await #expect(throws: MethodProblem.wrongPassword) {
            try await server.services.methods.passwords.signIn(
                loginID: "andy", password: Secret(TestServer.password), from: NetworkAddress("192.0.2.1"))
        }
        #expect(try await guess(server, "andy", TestServer.password, from: "192.0.2.2") == "right", "elsewhere")
        server.clock.advance(Limits.attemptDelayMaxSeconds)
        #expect(try await guess(server, "andy", TestServer.password, from: "192.0.2.1") == "right", "it passes")
        await server.stop()
    }

    @Test func `attack 80: names that nobody has count for themselves`() async throws {
        let server = try await start()
        for number in 1...30 {
            #expect(try await guess(server, "nobody\(number % 3)", from: "192.0.2.1") == "wrong")
        }
        #expect(try await guess(server, "nobody1", from: "192.0.2.1") == "throttled", "the eleventh at one name")
        #expect(try await guess(server, "andy", TestServer.password, from: "192.0.2.1") == "right")
        await server.stop()
    }

    @Test func `attack 81: strangers who guess at all names do not shut a known network out of any`() async throws {
        let server = try await start()
        #expect(try await guess(server, TestServer.username, TestServer.password, from: "198.51.100.7") == "right")
        for number in 0..<120 {
            _ = try await guess(server, Self.names[number % 3], from: "192.0.2.\(number / 6 + 1)")
        }
        #expect(
            try await guess(server, "andy", TestServer.password, from: "203.0.113.9") == "wrong",
            "a hundred from anywhere are enough")
        for name in Self.names {
            #expect(try await guess(server, name, TestServer.password, from: "198.51.100.7") == "right")
        }
        await server.stop()
    }

    @Test func `attack 80: a lock is the account's, and only the typed name is told of`() async throws {
        let settings = MethodSettings(passwords: PasswordSettings(lockAttempts: 3, lockSeconds: 900))
        let server = try await start(settings)
        for name in Self.names {
            #expect(try await guess(server, name, from: "192.0.2.1") == "wrong")
            server.clock.advance(10)
        }
        #expect(try await guess(server, "andy", TestServer.password, from: "192.0.2.1") == "wrong")
        server.clock.advance(1_800)
        #expect(try await guess(server, "andy", TestServer.password, from: "192.0.2.1") == "right")
        await server.stop()
    }

    @Test func `the settings tell the owner, who is signed in, how long to wait`() async throws {
        let server = try await start()
        let here = NetworkAddress("192.0.2.1")
        let outcome = try await server.services.signIn.check(
            loginID: TestServer.username, password: Secret(TestServer.password), from: here)
        guard case .recognised(let user, let facts) = outcome else { throw TestFailure("\(outcome)") }
        let cookie = try #require(
            try await server.services.signIn.openSession(for: user, facts, replacing: nil)?.cookie)
        let owner = try #require(try await server.services.signIn.owner(of: cookie, from: here))
        for round in 1...10 {
            #expect(try await guess(server, Self.names[round % 3], from: "192.0.2.1") == "wrong")
        }
        let answer = try await server.services.settings.setPassword(
            Secret("another-good-password"), current: Secret(TestServer.password), endsOthers: false, of: owner)
        guard case .throttled(let seconds) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(seconds > 0)
        await server.stop()
    }
}
