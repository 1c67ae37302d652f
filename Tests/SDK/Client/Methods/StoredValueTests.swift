import Foundation
import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Values that apps store")
struct StoredValueTests {
    /// There and back again.
    private func coded<Value: Codable>(_ value: Value) throws -> (value: Value, json: JSONValue) {
        let data = try JSONEncoder().encode(value)
        return (try JSONDecoder().decode(Value.self, from: data), try JSONValue(parsing: Array(data)))
    }

    @Test(arguments: ["enabled", "disabled", "invited", "expired", "frozen"])
    func `a user, with tenants, roles and attributes`(_ status: String) throws {
        let wire: JSONValue = [
            "userId": "U1", "loginIds": ["a@example.com", "+1"], "status": .string(status),
            "createdTime": 1_700_000_000,
            "email": "a@example.com", "verifiedEmail": true, "name": "Ann", "webauthn": true,
            "OAuth": ["github": true], "roleNames": ["admin", "editor"], "ssoAppIds": ["app"],
            "userTenants": [["tenantId": "t1", "tenantName": "One", "roleNames": ["owner"]]],
            "customAttributes": ["floor": 3, "tags": ["x"]], "test": true,
        ]
        let user = UserDetails(try UserAnswer(MethodBody(wire)))
        #expect(user.tenants.count == 1 && user.authorization.roles.count == 2 && !user.customAttributes.isEmpty)
        let (decoded, json) = try coded(user)
        #expect(decoded == user)
        #expect(json["status"] == .string(status))
        #expect(json["tenants"]?.arrayValue?.first?["tenantName"] == "One")
    }

    @Test func `what OpenID Connect says of a user`() throws {
        let info = UserInfo(subject: "U1", claims: ["name": "Ann", "address": ["country": "DK"]])
        let (decoded, json) = try coded(info)
        #expect(decoded.subject == "U1" && decoded.name == "Ann" && decoded.address == info.address)
        #expect(json == ["sub": "U1", "name": "Ann", "address": ["country": "DK"]])
        for text in [#"{"name":"Ann"}"#, #"{"sub":""}"#, "[]"] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(UserInfo.self, from: Data(text.utf8)) }
        }
    }

    @Test func `tenants and sign-ins of the past`() throws {
        let tenant = TenantAnswer(id: "t1", name: "One", customAttributes: ["plan": "pro"])
        #expect(try coded([tenant]).value == [tenant])
        let sign = try LoginHistoryAnswer(MethodBody(["userId": "U1", "loginTime": 1_700_000_000, "city": "Aarhus"]))
        #expect(try coded(sign).value == sign)
    }
}
