import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Accounts that somebody registered in another's name")
struct SquattingTests {
    private let password: JSONValue = "long-and-strange-77"
    private let victim = "victim@example.com"

    private func squat(_ server: TestServer) async throws -> String {
        let body: JSONValue = ["loginId": .string(victim), "password": password, "user": ["email": .string(victim)]]
        return try #require(try await server.call("password/signup", body).refreshJWT)
    }

    @Test(arguments: ["otp/signin/email", "otp/signup/email", "otp/signup-in/email"])
    func `93: an address that was never proved leaves the account of whoever proved another one`(_ path: String)
        async throws
    {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let own: JSONValue = ["loginId": .string(victim), "email": "mallory@example.com", "addToLoginIDs": true]
        #expect(try await server.call("otp/update/email", own, refresh: session).status == 200)
        let ownCode = try #require(try await server.message(to: "mallory@example.com").code)
        let proved = try await server.call("otp/verify/email", ["loginId": .string(victim), "code": .string(ownCode)])
        #expect(proved.status == 200)
        let squatter = try #require(proved.json["user"]?["userId"]?.stringValue)

        #expect(try await server.call(path, ["loginId": .string(victim)]).status == 200)
        let code = try #require(try await server.message(to: victim).code)
        let answer = try await server.call("otp/verify/email", ["loginId": .string(victim), "code": .string(code)])
        #expect(answer.status == 200)
        #expect(answer.json["user"]?["userId"]?.stringValue != squatter)
        #expect(answer.json["user"]?["verifiedEmail"] == true && answer.json["user"]?["loginIds"] == [.string(victim)])
        let rest = try #require(try await server.account("mallory@example.com"))
        #expect(rest.identifiers.count == 1 && rest.user.id.rawValue == squatter)
        #expect(rest.email == "mallory@example.com")
        #expect(
            try await server.call("password/signin", ["loginId": .string(victim), "password": password]).status == 400)
        await server.stop()
    }

    @Test func `93: a code that is late finds no account that has lost the name`() async throws {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let own: JSONValue = ["loginId": .string(victim), "email": "mallory@example.com", "addToLoginIDs": true]
        _ = try await server.call("otp/update/email", own, refresh: session)
        let ownCode = try #require(try await server.message(to: "mallory@example.com").code)
        _ = try await server.call("otp/verify/email", ["loginId": .string(victim), "code": .string(ownCode)])
        _ = try await server.call("magiclink/signin/email", ["loginId": .string(victim)])
        let link = try #require(try await server.message(to: victim).links.first)
        _ = try await server.call("otp/signin/email", ["loginId": .string(victim)])
        let code = try #require(try await server.message(to: victim).code)
        let body: JSONValue = ["loginId": .string(victim), "code": .string(code)]
        #expect(try await server.call("otp/verify/email", body).status == 200)
        let token = JSONValue.string(String(try #require(link.split(separator: "t=", maxSplits: 1).last)))
        #expect(try await server.call("magiclink/verify", ["token": token]).errorCode == "E063010")
        let squatter = try #require(try await server.account("mallory@example.com"))
        #expect(squatter.email == "mallory@example.com")
        await server.stop()
    }

    @Test(arguments: ["patch", "update", "update/email", "auth/signup-in"])
    func `93: an operator's word voids what a stranger put there, as the owner's proof does`(_ path: String)
        async throws
    {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let name = JSONValue.string(victim)
        let answer =
            switch path {
            case "patch":
                try await server.manage("user/patch", ["loginId": name, "verifiedEmail": true], method: "PATCH")
            case "update":
                try await server.manage("user/update", ["loginId": name, "email": name, "verifiedEmail": true])
            case "update/email":
                try await server.manage("user/update/email", ["loginId": name, "email": name, "verified": true])
            default: try await server.manage("auth/signup-in", ["loginId": name, "emailVerified": true])
            }
        #expect(answer.status == 200 && answer.json["user"]?["verifiedEmail"] == true)
        #expect(try await server.call("refresh", [:], refresh: session).status == 401)
        #expect(try await server.call("password/signin", ["loginId": name, "password": password]).status == 400)
        // Whoever proved an address before keeps the password.
        let other: JSONValue = [
            "loginId": .string(TestServer.username), "additionalLoginIds": ["andy2@example.com"], "verifiedEmail": true,
        ]
        #expect(try await server.manage("user/patch", other, method: "PATCH").status == 200)
        let andy: JSONValue = ["loginId": .string(TestServer.username), "password": .string(TestServer.password)]
        #expect(try await server.call("password/signin", andy).status == 200)
        await server.stop()
    }

    @Test(arguments: ["update/phone", "patch", "update/email"])
    func `93: an operator's word for an address that the stranger never named has the same effect`(_ path: String)
        async throws
    {
        let server = try await TestServer.start()
        let session = try await squat(server)
        let (name, phone, later) = (JSONValue.string(victim), "+15551234567", "married@example.com")
        let answer =
            switch path {
            case "update/phone":
                try await server.manage(
                    "user/update/phone", ["loginId": name, "phone": .string(phone), "verified": true])
            case "patch":
                try await server.manage(
                    "user/patch", ["loginId": name, "phone": .string(phone), "verifiedPhone": true], method: "PATCH")
            default:
                try await server.manage(
                    "user/update/email", ["loginId": name, "email": .string(later), "verified": true])
            }
        let isMoved = path == "update/email"
        #expect(answer.status == 200 && answer.json["user"]?["loginIds"] == [.string(isMoved ? later : victim)])
        #expect(try await server.call("refresh", [:], refresh: session).status == 401)
        for loginID in [victim, phone, later] {
            let body: JSONValue = ["loginId": .string(loginID), "password": password]
            #expect(try await server.call("password/signin", body).status != 200)
        }
        await server.stop()
    }

    @Test func `whoever grew too large can be disabled all the same, and strangers do not grow`() async throws {
        let server = try await TestServer.start()
        let long = JSONValue.string(String(repeating: "x", count: 2_000))
        for path in ["password/signup", "totp/signup", "otp/signup/email"] {
            let body: JSONValue = ["loginId": "big@example.com", "password": password, "user": ["name": long]]
            #expect(try await server.call(path, body).errorCode == "E011004", "\(path)")
        }
        let now = server.clock.now
        let claims: [String: JSONValue] = ["name": .string(String(repeating: "x", count: 40_000))]
        try await server.services.stores.users.create(
            Account(
                user: User(id: .make(.live), claims: claims, createdAt: now, updatedAt: now),
                identifiers: [try #require(Identifier(loginID: "big@example.com")): .unverified], passwordHash: nil))
        let disabled = try await server.manage(
            "user/update/status", ["loginId": "big@example.com", "status": "disabled"])
        #expect(disabled.json["user"]?["status"] == "disabled")
        let attribute: JSONValue = ["loginId": "big@example.com", "attributeKey": "a", "attributeValue": long]
        #expect(try await server.manage("user/update/customAttribute", attribute).status == 200)
        let longer: JSONValue = ["loginId": "big@example.com", "givenName": "more"]
        #expect(try await server.manage("user/patch", longer, method: "PATCH").status == 400)
        await server.stop()
    }

    @Test func `a person adds no more login IDs than an operator may`() async throws {
        let server = try await TestServer.start()
        let first = try await server.signUpByCode("many@example.com")
        let id = try #require(try await server.account("many@example.com")).user.id
        let more = try (1..<Limits.identifiersOfUserMax).map { try #require(Identifier(loginID: "many\($0)")) }
        _ = try await server.services.stores.users.change(id, at: server.clock.now) { account in
            for name in more { account.identifiers[name] = .verified }
        }
        let body: JSONValue = ["loginId": "many@example.com", "email": "extra@example.com", "addToLoginIDs": true]
        #expect(try await server.call("otp/update/email", body, refresh: first.refreshJWT).errorCode == "E011004")
        #expect(try await server.messageCount(to: "extra@example.com") == 0)
        await server.stop()
    }
}
