import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Names that strangers choose")
struct NameAttackTests {
    private let password: JSONValue = "long-and-strange-77"

    @Test func `nobody takes the identifier of somebody else as a name`() async throws {
        let server = try await TestServer.start()
        let victim = TestServer.subject.rawValue
        let body: JSONValue = ["loginId": .string(victim.uppercased()), "password": password]
        #expect(try await server.call("password/signup", body).errorCode == "E011004")
        #expect(try await server.call("totp/signup", ["loginId": .string(victim)]).errorCode == "E011004")
        let mailed: JSONValue = ["loginId": .string(victim), "user": ["email": "mallory@example.com"]]
        #expect(try await server.call("otp/signup/email", mailed).errorCode == "E011004")
        let made = try await server.manage("user/create", ["loginId": .string(victim)])
        #expect(made.json["errorCode"] == "E062107", "not even an operator gives it away")
        // An identifier need not be a UUID where it comes from another system.
        let now = server.clock.now
        let oldName = UserID(rawValue: "carla")
        try await server.services.stores.users.create(
            Account(user: User(id: oldName, createdAt: now, updatedAt: now), identifiers: [:], passwordHash: nil))
        let named = try await server.call("password/signup", ["loginId": "carla", "password": password])
        #expect(named.errorCode == "E062107")
        await server.stop()
    }

    @Test func `management by userId finds the user of that identifier, whatever others are called`() async throws {
        let server = try await TestServer.start()
        let victim = UserID.make(.live).rawValue
        let now = server.clock.now
        // The name was there first, and an import brought the identifier.
        let mallory = Account(
            user: User(id: .make(.live), createdAt: now, updatedAt: now),
            identifiers: [try #require(Identifier(loginID: victim)): .verified], passwordHash: nil)
        try await server.services.stores.users.create(mallory)
        try await server.services.stores.users.create(
            Account(
                user: User(id: UserID(rawValue: victim), createdAt: now, updatedAt: now), identifiers: [:],
                passwordHash: nil))
        let found = try await server.manage("user?userId=\(victim)", nil, method: "GET")
        #expect(found.json["user"]?["userId"]?.stringValue == victim)
        for name in ["userId", "loginId"] {
            let disabled = try await server.manage(
                "user/update/status", .object([name: .string(victim), "status": "disabled"]))
            #expect(disabled.json["user"]?["userId"]?.stringValue == victim)
        }
        let nobody = try await server.manage("user/delete", ["userId": .string(TestServer.username)])
        #expect(nobody.json["errorCode"] == "E112102", "a login ID is no identifier")
        await server.stop()
    }

    @Test(arguments: ["password/signup", "totp/signup"])
    func `a test user belongs to the operator, not to whoever signs up with its name`(_ path: String) async throws {
        let server = try await TestServer.start()
        let made = try await server.manage(
            "user/create/test", ["loginId": "qa@example.com", "email": "qa@example.com"])
        #expect(made.status == 200)
        let taken = try await server.call(path, ["loginId": "qa@example.com", "password": password])
        #expect(taken.status == 400 && taken.errorCode == "E062107")
        #expect(try await server.account("qa@example.com")?.passwordHash == nil)
        await server.stop()
    }
}
