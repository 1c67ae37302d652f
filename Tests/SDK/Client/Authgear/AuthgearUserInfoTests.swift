import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Authgear: what is told about a person")
struct AuthgearUserInfoTests {
    @Test(arguments: ["2026-03-01T12:00:00Z", "2026-03-01T12:00:00.125Z", "2026-03-01T12:00:00.123456789Z"])
    func `17: times with 0, 3 and 9 digits after the seconds`(_ text: String) async throws {
        let world = AuthgearWorld()
        await world.server.set { server in
            server.userInfo = [
                "https://authgear.com/claims/user/authenticators": [
                    ["created_at": .string(text), "updated_at": .string(text), "type": "password", "kind": "primary"],
                    ["type": "hologram"], "none",
                ],
                "https://authgear.com/claims/user/identities": [
                    [
                        "created_at": .string(text), "type": "oauth", "oauth_provider_type": "google",
                        "oauth_provider_alias": "google-2",
                    ],
                    ["type": "login_id", "login_id_key": "mail", "login_id_type": "email"],
                ],
                "https://authgear.com/claims/user/roles": ["sailor"],
                "https://authgear.com/claims/user/recovery_code_enabled": false,
            ]
        }
        let info = try await world.signedIn().userInfo()
        let time = UnixTime(rawValue: 1_772_366_400)
        #expect(info.authenticators.map(\.type) == ["password", "hologram"])
        #expect(info.authenticators.map(\.createdAt) == [time, nil] && info.authenticators[0].kind == "primary")
        #expect(info.identities.map(\.createdAt) == [time, nil] && info.identities[0].providerAlias == "google-2")
        #expect(info.identities[1].loginIDKey == "mail" && info.identities[1].loginIDType == "email")
        #expect(info.roles == ["sailor"] && info.isRecoveryCodeEnabled == false)
        #expect(info.isAnonymous == false && info.isVerified == true && info.canReauthenticate == true)
    }

    @Test func `what is not told is nothing`() async throws {
        let info = try await World().signedIn().userInfo()
        #expect(info.authenticators.isEmpty && info.identities.isEmpty && info.roles.isEmpty)
        #expect(info.canReauthenticate == nil && info.isRecoveryCodeEnabled == nil)
    }

    @Test func `times of the internet, and what is none`() {
        #expect(InternetTime.parse("1970-01-01T00:00:00Z")?.rawValue == 0)
        #expect(InternetTime.parse("2026-03-01T13:30:00+01:30")?.rawValue == 1_772_366_400)
        #expect(InternetTime.parse("2026-03-01t07:00:00.5-05:00")?.rawValue == 1_772_366_400)
        for text in [
            "", "2026-03-01", "2026-03-01T12:00:00", "2026-13-01T12:00:00Z", "2026-03-01T12:00:00.Z",
            "2026-03-01T12:00:00Zx", "2026-03-01T12:00:00+1:00", "2026-03-01T24:00:00Z", "+026-03-01T12:00:00Z",
        ] {
            #expect(InternetTime.parse(text) == nil, "\(text)")
        }
    }
}
