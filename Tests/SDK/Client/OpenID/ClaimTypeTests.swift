import Foundation
import KeyturnBase
import Testing

@testable import Keyturn

@Suite("Claims as providers write them")
struct ClaimTypeTests {
    private func info(_ claims: [String: JSONValue]) -> UserInfo { UserInfo(subject: "andy", claims: claims) }

    @Test(
        arguments: [
            (true, true), (false, false), ("true", true), ("false", false), ("True", true), (1, true), (0, false),
            ("1", true), ("yes", nil), (.null, nil), (2, nil), ([true], nil),
        ] as [(JSONValue, Bool?)])
    func `a checked address is one, also as the text that Apple and Cognito send`(_ value: JSONValue, _ flag: Bool?) {
        let info = info(["email_verified": value, "phone_number_verified": value])
        #expect(info.isEmailVerified == flag && info.isPhoneNumberVerified == flag)
    }

    @Test func `Apple's ID token says that the address is checked`() async throws {
        let world = try World()
        await world.service.set {
            $0.claims = ["email": "andy@example.com", "email_verified": "true"]
            $0.metadata["userinfo_endpoint"] = .null
        }
        let result = try await world.container().authorize(redirectURI: World.redirectURI)
        #expect(result.userInfo.isEmailVerified == true && result.userInfo.source == .idToken)
        #expect(await world.service.count("/userinfo") == 0)
    }

    @Test(
        arguments: [
            (1_772_366_400, 1_772_366_400), ("2026-03-01T12:00:00.000Z", 1_772_366_400), ("1772366400", 1_772_366_400),
            ("March", nil), (.null, nil),
        ] as [(JSONValue, Int64?)])
    func `a time of change in seconds, or as Auth0's date`(_ value: JSONValue, _ seconds: Int64?) {
        #expect(info(["updated_at": value]).updatedAt?.rawValue == seconds)
    }

    @Test func `values with the same claims are equal, wherever they are from`() throws {
        let asked = UserInfo(subject: "andy", claims: ["sub": "andy"], source: .userInfoEndpoint)
        let kept = try JSONDecoder().decode(UserInfo.self, from: JSONEncoder().encode(asked))
        #expect(kept == asked && kept.hashValue == asked.hashValue && kept.source == nil)
        #expect(asked != UserInfo(subject: "andy", claims: ["sub": "andy", "name": "Ann"], source: .userInfoEndpoint))
    }
}
