import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Changed addresses")
struct AddressChangeTests {
    @Test(arguments: [true, false])
    func `91: who has one address hears of another one, of whatever kind`(_ adds: Bool) async throws {
        let server = try await TestServer.start()
        let session = try await server.signUpByCode("bea@example.com").refreshJWT
        let body: JSONValue = ["loginId": "bea@example.com", "phone": "+15557654321", "addToLoginIDs": .bool(adds)]
        #expect(try await server.call("otp/update/phone/sms", body, refresh: session).status == 200)
        let code = try #require(try await server.message(to: "+15557654321").code)
        let proved = try await server.call("otp/verify/sms", ["loginId": "bea@example.com", "code": .string(code)])
        #expect(proved.status == 200)
        let notice = try await server.message(to: "bea@example.com")
        #expect(notice.kind == .addressAdded && notice.channel == .email)
        #expect(notice.links == ["\(server.issuer)/settings"])
        #expect(notice.values[MessageValue.newAddress]?.contains("7654") == false)
        // And again by the number, once there is one: another address is told there. The session that the code opened was
        // not the one that asked.
        let update: JSONValue = ["loginId": "bea@example.com", "email": "bea2@example.com"]
        #expect(try await server.call("otp/update/email", update, refresh: proved.refreshJWT).status == 403)
        #expect(try await server.call("otp/update/email", update, refresh: session).status == 200)
        let second = try #require(try await server.message(to: "bea2@example.com").code)
        let moved = try await server.call(
            "otp/verify/email", ["loginId": "bea@example.com", "code": .string(second)])
        #expect(moved.status == 200)
        #expect(try await server.message(to: "bea@example.com").kind == .addressChanged)
        await server.stop()
    }

    @Test func `91: an address of one's own beside a proved one is confirmed in one's own session`() async throws {
        let server = try await TestServer.start()
        let session = try await server.signUpByCode("bea@example.com").refreshJWT
        let more: JSONValue = [
            "loginId": "bea@example.com", "email": "bea@example.com", "verifiedEmail": true,
            "additionalLoginIds": ["bea2@example.com"],
        ]
        #expect(try await server.manage("user/update", more).status == 200)
        let id = try #require(try await server.account("bea@example.com")).user.id
        let body: JSONValue = ["loginId": "bea@example.com", "email": "bea2@example.com"]
        #expect(try await server.call("otp/update/email", body, refresh: session).status == 200)
        let code = JSONValue.string(try #require(try await server.message(to: "bea2@example.com").code))
        let answer = try await server.call(
            "otp/verify/email", ["loginId": "bea@example.com", "code": code], refresh: session)
        #expect(answer.status == 200 && answer.json["user"]?["userId"]?.stringValue == id.rawValue)
        #expect(try await server.account("bea2@example.com")?.user.id == id)
        await server.stop()
    }
}
