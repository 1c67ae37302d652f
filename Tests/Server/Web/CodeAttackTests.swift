import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Synchronization
import Testing

@Suite("Codes by mail and text message under attack")
struct CodeAttackTests {
    private final class Statements: Sendable {
        private let count = Mutex(0)
        func note() { count.withLock { $0 += 1 } }
        func take() -> Int {
            count.withLock { value in
                let taken = value
                value = 0
                return taken
            }
        }
    }

    @Test func `a code signs up, and the user is there only then`() async throws {
        let server = try await TestServer.start()
        let sent = try await server.call("otp/signup/email", ["loginId": "bea@example.com", "user": ["name": "Bea"]])
        #expect(sent.json["maskedEmail"]?.stringValue == "b**@e******.com")
        #expect(try await server.account("bea@example.com") == nil, "no row before the proof")
        let code = try #require(try await server.message(to: "bea@example.com").code)
        let answer = try await server.call("otp/verify/email", ["loginId": "bea@example.com", "code": .string(code)])
        #expect(answer.status == 200)
        #expect(answer.json["firstSeen"]?.boolValue == true)
        #expect(answer.json["user"]?["verifiedEmail"]?.boolValue == true)
        #expect(answer.methods == ["email"])
        let again = try await server.call("otp/verify/email", ["loginId": "bea@example.com", "code": .string(code)])
        #expect(again.errorCode == "E061102", "85: a code is good once")
        await server.stop()
    }

    @Test func `79: whoever exists is answered as who does not, by the same number of statements`() async throws {
        let statements = Statements()
        let server = try await TestServer.start(onStatement: { _ in statements.note() })
        for path in ["otp/signin/email", "magiclink/signin/email", "enchantedlink/signin/email", "password/reset"] {
            _ = statements.take()
            let known = try await server.call(path, ["loginId": .string(TestServer.username)])
            let knownCount = statements.take()
            let unknown = try await server.call(path, ["loginId": "anna@example.com"])
            #expect(statements.take() == knownCount, "\(path)")
            #expect(knownCount > 0)
            #expect(known.status == 200 && unknown.status == 200)
            #expect(known.json.objectValue?.keys.sorted() == unknown.json.objectValue?.keys.sorted())
            #expect(known.json["maskedEmail"] == unknown.json["maskedEmail"])
        }
        for path in ["otp/verify/email", "totp/verify"] {
            _ = statements.take()
            let known = try await server.call(path, ["loginId": .string(TestServer.username), "code": "00000x"])
            let knownCount = statements.take()
            let unknown = try await server.call(path, ["loginId": "anna@example.com", "code": "00000x"])
            #expect(statements.take() == knownCount, "\(path)")
            #expect(known.status == unknown.status && known.body == unknown.body)
        }
        let wrong = try await server.call(
            "password/signin", ["loginId": .string(TestServer.username), "password": "not-this-one"])
        let nobody = try await server.call(
            "password/signin", ["loginId": "anna@example.com", "password": "not-this-one"])
        #expect(wrong.status == nobody.status && wrong.body == nobody.body)
        #expect(try await server.messageCount(to: "anna@example.com") == 0, "decoys reach nobody")
        await server.stop()
    }

    @Test func `79: signing up again is answered alike, and the owner is told`() async throws {
        let server = try await TestServer.start()
        let again = try await server.call("otp/signup/email", ["loginId": .string(TestServer.username)])
        #expect(again.status == 200)
        let message = try await server.message(to: TestServer.username)
        #expect(message.kind == .alreadyRegistered)
        let code = try #require(message.code)
        let answer = try await server.call(
            "otp/verify/email", ["loginId": .string(TestServer.username), "code": .string(code)])
        #expect(answer.json["user"]?["userId"]?.stringValue == TestServer.subject.rawValue)
        #expect(answer.json["firstSeen"]?.boolValue == false)
        await server.stop()
    }

    @Test(arguments: [16, 100])
    func `86: of parallel submissions of one code one opens a session`(_ count: Int) async throws {
        let server = try await TestServer.start()
        _ = try await server.call("otp/signin/email", ["loginId": .string(TestServer.username)])
        let code = try #require(try await server.message(to: TestServer.username).code)
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count {
                group.addTask {
                    try await server.call(
                        "otp/verify/email", ["loginId": .string(TestServer.username), "code": .string(code)]
                    ).status
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1)
        await server.stop()
    }

    @Test func `85: the sixth try is refused, sent again or not`() async throws {
        let server = try await TestServer.start()
        let loginID: JSONValue = .string(TestServer.username)
        for round in 0..<5 {
            if round % 2 == 0 { _ = try await server.call("otp/signin/email", ["loginId": loginID]) }
            let answer = try await server.call("otp/verify/email", ["loginId": loginID, "code": "wrong!"])
            #expect(answer.errorCode == "E061102")
        }
        let code = try #require(try await server.message(to: TestServer.username).code)
        let sixth = try await server.call("otp/verify/email", ["loginId": loginID, "code": .string(code)])
        #expect(sixth.errorCode == "E061103")
        await server.stop()
    }

    @Test func `81: whatever strangers do, a known device gets in with its code and its password`() async throws {
        let server = try await TestServer.start()
        let methods = server.services.methods
        let home = NetworkAddress("192.0.2.1")
        let login = TestServer.username
        _ = try await methods.passwords.signIn(loginID: login, password: Secret(TestServer.password), from: home)
        for number in 0..<150 {
            let stranger = NetworkAddress("198.51.100.\(number)")
            _ = try? await methods.codes.verify(loginID: login, code: Secret("000000"), method: .email, from: stranger)
            _ = try? await methods.codes.send(
                VerificationRequest(.signIn, loginID: login, method: .email, from: stranger))
        }
        server.clock.advance(1)
        _ = try await methods.codes.send(VerificationRequest(.signIn, loginID: login, method: .email, from: home))
        let code = Secret(try #require(try await server.message(to: login).code))
        let proof = try await methods.codes.verify(loginID: login, code: code, method: .email, from: home)
        #expect(proof.identity.account.user.id == TestServer.subject)
        _ = try await methods.passwords.signIn(loginID: login, password: Secret(TestServer.password), from: home)
        await server.stop()
    }

    @Test func `90: text messages to a country run out, unless they are answered`() async throws {
        let server = try await TestServer.start()
        let codes = server.services.methods.codes
        func send(_ number: Int64) async throws {
            _ = try await codes.send(
                VerificationRequest(
                    .signUp(SignUpDetails()), loginID: "+37199\(1_000_000 + number)", method: .sms,
                    from: NetworkAddress("203.0.113.\(number % 250)")))
        }
        for number in 1..<Limits.unansweredPerCountryMax { try await send(number) }
        server.clock.advance(1)
        try await send(0)
        await #expect(throws: MethodProblem.rateLimited(retryAfterSeconds: 3_599)) { try await send(999) }
        let other = VerificationRequest(.signUp(SignUpDetails()), loginID: "+37255512345", method: .sms)
        _ = try await codes.send(other)
        let phone = "+371991000000"
        let code = Secret(try #require(try await server.message(to: phone).code))
        _ = try await codes.verify(loginID: phone, code: code, method: .sms, from: nil)
        try await send(998)
        await server.stop()
    }

    @Test func `90: a network that asks for too much is told when to come back`() async throws {
        let server = try await TestServer.start()
        var last = try await server.call("otp/signin/email", ["loginId": "x@example.com"])
        for _ in 0..<Limits.sendsPerAccountAndNetworkMax {
            last = try await server.call("otp/signin/email", ["loginId": "x@example.com"])
        }
        #expect(last.status == 429 && last.errorCode == "E130429")
        #expect(last.headers["retry-after"].flatMap(Int.init).map { $0 > 0 } == true)
        await server.stop()
    }

    @Test func `a test user's code that was made first is good after a sign-in and a sign-up`() async throws {
        let server = try await TestServer.start()
        let loginID = try #require(Identifier(loginID: "test@example.com"))
        let now = server.clock.now
        try await server.services.stores.users.create(
            Account(
                user: User(id: .make(.live), isTest: true, createdAt: now, updatedAt: now),
                identifiers: [loginID: .unverified], passwordHash: nil))
        for path in ["otp/signin/email", "otp/signup/email"] {
            let made = try await server.manage(
                "tests/generate/otp", ["loginId": "test@example.com", "deliveryMethod": "email"])
            #expect(try await server.call(path, ["loginId": "test@example.com"]).status == 200)
            let answer = try await server.call(
                "otp/verify/email", ["loginId": "test@example.com", "code": made.json["code"] ?? .null])
            #expect(answer.status == 200)
        }
        let real = try await server.manage("tests/generate/otp", ["loginId": .string(TestServer.username)])
        #expect(real.errorCode == "E112102", "nobody else's codes are told")
        #expect(try await server.messageCount(to: "test@example.com") == 0)
        await server.stop()
    }

    @Test func `21: a step-up needs the session that it goes on from`() async throws {
        let server = try await TestServer.start()
        let first = try await server.signUpByCode("bea@example.com")
        let body: JSONValue = ["loginId": "bea@example.com", "loginOptions": ["stepup": true]]
        #expect(try await server.call("otp/signin/email", body).errorCode == "E011003")
        let other = try await server.signUpByCode("carl@example.com")
        #expect(try await server.call("otp/signin/email", body, refresh: other.refreshJWT).status == 400)
        #expect(try await server.call("otp/signin/email", body, refresh: first.refreshJWT).status == 200)
        let code = try #require(try await server.message(to: "bea@example.com").code)
        let answer = try await server.call("otp/verify/email", ["loginId": "bea@example.com", "code": .string(code)])
        #expect(answer.status == 200)
        await server.stop()
    }
}
