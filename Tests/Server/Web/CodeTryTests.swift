import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Whose tries at a code are counted")
struct CodeTryTests {
    private func verify(_ server: TestServer, _ name: String, _ code: String, from address: String) async throws
        -> String
    {
        do {
            _ = try await server.services.methods.codes.verify(
                loginID: name, code: Secret(code), method: .email, from: NetworkAddress(address))
            return "right"
        } catch let problem as MethodProblem {
            return problem.code.rawValue
        }
    }

    private func send(_ server: TestServer, _ name: String) async throws -> String {
        let ask = VerificationRequest(.signUpOrIn, loginID: name, method: .email, from: NetworkAddress("192.0.2.1"))
        _ = try await server.services.methods.codes.send(ask)
        return try #require(try await server.message(to: name).code)
    }

    @Test func `81: a stranger's wrong codes use up no tries but those of the stranger's network`() async throws {
        let server = try await TestServer.start()
        let code = try await send(server, "newcomer@example.com")
        for _ in 0..<5 {
            #expect(try await verify(server, "newcomer@example.com", "wrong!", from: "203.0.113.1") == "E061102")
        }
        #expect(try await verify(server, "newcomer@example.com", code, from: "203.0.113.1") == "E061103")
        #expect(try await verify(server, "newcomer@example.com", code, from: "192.0.2.1") == "right")
        await server.stop()
    }

    @Test func `after five wrong codes none is sent, and the answer says until when`() async throws {
        let server = try await TestServer.start()
        let now = server.clock.now
        for name in [TestServer.username, "nobody@example.com"] {
            let loginID: JSONValue = .string(name)
            _ = try await server.call("otp/signin/email", ["loginId": loginID])
            server.clock.advance(10)
            for _ in 0..<5 { _ = try await server.call("otp/verify/email", ["loginId": loginID, "code": "wrong!"]) }
            let refused = try await server.call("otp/verify/email", ["loginId": loginID, "code": "000000"])
            #expect(refused.errorCode == "E061103" && refused.headers["retry-after"] == "600")
            server.clock.advance(10)
            let sent = try await server.call("otp/signin/email", ["loginId": loginID])
            #expect(sent.status == 429 && sent.errorCode == "E130429", "\(name): \(sent.body)")
            #expect(sent.headers["retry-after"] == "590")
            #expect(sent.json["errorMessage"]?.stringValue?.contains("wrong codes") == true)
        }
        #expect(now < server.clock.now)
        server.clock.advance(590)
        for name in [TestServer.username, "nobody@example.com"] {
            #expect(try await server.call("otp/signin/email", ["loginId": .string(name)]).status == 200)
        }
        await server.stop()
    }

    @Test func `81: a stranger's wrong codes keep no code from the owner's network`() async throws {
        let server = try await TestServer.start()
        for _ in 0..<6 { _ = try await verify(server, "newcomer@example.com", "wrong!", from: "203.0.113.1") }
        let ask = VerificationRequest(
            .signUpOrIn, loginID: "newcomer@example.com", method: .email, from: NetworkAddress("203.0.113.1"))
        await #expect(throws: MethodProblem.self) { _ = try await server.services.methods.codes.send(ask) }
        let code = try await send(server, "newcomer@example.com")
        #expect(try await verify(server, "newcomer@example.com", code, from: "192.0.2.1") == "right")
        await server.stop()
    }

    @Test func `85: many networks share forty tries, which is a chance of one in ten thousand`() async throws {
        let chance = Double(2 * Limits.codeTriesOfStrangersMax + 4 * Limits.codeTriesMax) / 1_000_000
        #expect(chance <= 1e-4)
        let server = try await TestServer.start()
        let code = try await send(server, "newcomer@example.com")
        for number in 0..<Limits.codeTriesOfStrangersMax {
            let address = "203.0.113.\(number / 4)"
            #expect(try await verify(server, "newcomer@example.com", "wrong!", from: address) == "E061102")
        }
        #expect(try await verify(server, "newcomer@example.com", code, from: "198.51.100.1") == "E061103")
        await server.stop()
    }

    @Test func `79: tries that are used up at one name tell of no other name of the same person`() async throws {
        let server = try await TestServer.start()
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) { account in
            account.identifiers[Identifier(kind: .username, storedValue: "andy")] = .verified
        }
        for _ in 0..<5 { _ = try await verify(server, TestServer.username, "wrong!", from: "203.0.113.1") }
        #expect(try await verify(server, TestServer.username, "wrong!", from: "203.0.113.1") == "E061103")
        for name in ["andy", "nobody"] {
            #expect(try await verify(server, name, "wrong!", from: "203.0.113.1") == "E061102", "\(name)")
        }
        let code = try await send(server, TestServer.username)
        // And more names are no more tries: at the account, strangers have forty, whatever they type.
        for number in 0..<Limits.codeTriesOfStrangersMax {
            for name in [TestServer.username, "andy"] {
                _ = try await verify(server, name, "wrong!", from: "198.51.100.\(number)")
            }
        }
        #expect(try await verify(server, "andy", code, from: "203.0.113.77") != "right")
        await server.stop()
    }
}
