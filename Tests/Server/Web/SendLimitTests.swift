import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("What messages cost, and whom")
struct SendLimitTests {
    private func person(_ server: TestServer, _ email: String, phone: String?) async throws {
        var body: [String: JSONValue] = [
            "loginId": .string(email), "email": .string(email), "verifiedEmail": true,
        ]
        if let phone { (body["phone"], body["verifiedPhone"]) = (.string(phone), true) }
        #expect(try await server.manage("user/create", .object(body)).status == 200)
    }

    private func ask(
        _ server: TestServer, _ name: String, _ intent: VerificationRequest.Intent = .signIn, from number: Int64
    ) async throws -> MethodProblem? {
        let ask = VerificationRequest(
            intent, loginID: name, method: .sms, from: NetworkAddress("203.0.113.\(number % 250)"))
        do {
            _ = try await server.services.methods.codes.send(ask)
            return nil
        } catch let problem as MethodProblem {
            return problem
        }
    }

    @Test func `90: messages that are not sent cost a country nothing`() async throws {
        let server = try await TestServer.start()
        try await person(server, "carl@example.com", phone: "+4915112345678")
        for number in 0..<Limits.unansweredPerCountryMax + 5 {
            #expect(try await ask(server, "+4916\(10_000_000 + number)", from: number) == nil)
        }
        #expect(try await ask(server, "carl@example.com", from: 251) == nil)
        #expect(try await server.messageCount(to: "+4915112345678") == 1)
        await server.stop()
    }

    @Test func `79: an empty purse tells nobody which numbers there are, and leaves out nobody who was here`()
        async throws
    {
        let server = try await TestServer.start()
        try await person(server, "carl@example.com", phone: "+4915112345678")
        try await person(server, "dora@example.com", phone: nil)
        let codes = server.services.methods.codes
        let home = NetworkAddress("192.0.2.1")
        _ = try await codes.send(VerificationRequest(.signIn, loginID: "carl@example.com", method: .sms, from: home))
        let code = Secret(try #require(try await server.message(to: "+4915112345678").code))
        _ = try await codes.verify(loginID: "carl@example.com", code: code, method: .sms, from: home)
        for number in 0..<Limits.unansweredPerCountryMax {
            #expect(try await ask(server, "+4916\(10_000_000 + number)", .signUpOrIn, from: number) == nil)
        }
        let before = try await server.messageCount(to: "+4915112345678")
        for name in ["carl@example.com", "dora@example.com", "nobody@example.com"] {
            #expect(try await ask(server, name, from: 251) == nil, "\(name)")
        }
        #expect(try await server.messageCount(to: "+4915112345678") == before, "nothing is sent")
        for number in ["+4915112345678", "+4915100000000"] {
            #expect(try await ask(server, number, from: 251)?.code == "E130429", "\(number)")
        }
        _ = try await codes.send(VerificationRequest(.signIn, loginID: "carl@example.com", method: .sms, from: home))
        #expect(try await server.messageCount(to: "+4915112345678") == before + 1)
        await server.stop()
    }

    @Test func `90: many accounts of one's own do not fill somebody else's mailbox`() async throws {
        let server = try await TestServer.start()
        let target = "bombed@example.com"
        for number in 0..<8 {
            let name = "bomber\(number)"
            let body: JSONValue = ["loginId": .string(name), "password": "long-and-strange-77"]
            _ = try await server.call("password/signup", body)
            let session = try await server.call("password/signin", body).refreshJWT
            for _ in 0..<9 {
                let update: JSONValue = ["loginId": .string(name), "email": .string(target)]
                _ = try await server.call("otp/update/email", update, refresh: session)
            }
        }
        for number in 0..<9 {
            _ = try await server.call(
                "otp/signup/email", ["loginId": .string("new\(number)"), "user": ["email": .string(target)]])
        }
        #expect(try await server.messageCount(to: target) == Int(Limits.sendsPerAccountMax))
        await server.stop()
    }

    @Test(arguments: ["+1", "+49 12", "+4915112345678901", "+12ab5678", "+49x15112345678"])
    func `90: a number that nobody can dial is refused before it is counted`(_ number: String) async throws {
        let server = try await TestServer.start()
        for path in ["otp/signin/sms", "otp/signup/sms", "otp/signup-in/voice", "password/signup"] {
            let body: JSONValue = ["loginId": .string(number), "password": "long-and-strange-77"]
            #expect(try await server.call(path, body).errorCode == "E011004", "\(path)")
        }
        await server.stop()
    }
}
