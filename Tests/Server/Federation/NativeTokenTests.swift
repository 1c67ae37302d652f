import Federation
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Testing

@Suite("ID tokens that apps bring from a provider's sheet")
struct NativeTokenTests {
    private static let settings = OpenIDConnectionSettings(
        issuer: "https://provider.example", clientID: "client", nativeClientIDs: ["com.example.app"])

    /// The code of the refusal; `nil`: it was accepted.
    private func refusal(_ claims: [String: JSONValue], nonce: String? = "n") async throws -> String? {
        let passage = ProviderPassage(
            SigningProvider {
                $0.claims = claims
                $0.nonce = nonce
            }, Self.settings)
        let token = NativeIDToken(idToken: Secret(passage.provider.idToken()), nonce: "n", names: [:])
        do {
            _ = try await passage.speaker.verify(token, at: passage.connection)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a token for the app is accepted, with the name that the sheet told`() async throws {
        let passage = ProviderPassage(
            SigningProvider {
                $0.claims = ["aud": "com.example.app", "email": "jane@provider.example", "email_verified": "true"]
                $0.nonce = "n"
            }, Self.settings)
        let token = NativeIDToken(
            idToken: Secret(passage.provider.idToken()), nonce: "n", names: ["given_name": "Jane"])
        let profile = try await passage.speaker.verify(token, at: passage.connection)
        #expect(profile.subject == "248289761001" && profile.email == "jane@provider.example")
        #expect(profile.claims["given_name"] == "Jane" && passage.provider.count("/token") == 0)
        #expect(profile.issuedAt != nil, "the app may have kept the token")
    }

    @Test func `F-21: a token of another app of the same provider is refused`() async throws {
        #expect(try await refusal(["aud": "com.example.app"]) == nil)
        #expect(try await refusal(["aud": "client", "azp": "com.example.app"]) == nil)
        #expect(try await refusal(["aud": "com.evil.app"]) == "aud")
        #expect(try await refusal(["aud": ["com.example.app", "com.evil.app"]]) == "aud")
        #expect(try await refusal(["aud": "com.example.app", "azp": "com.evil.app"]) == "azp")
        #expect(try await refusal(["aud": ["com.example.app", "client"]]) == "azp")
    }

    @Test func `F-24: a token without the nonce of this sign-in is refused`() async throws {
        #expect(try await refusal(["aud": "client"], nonce: nil) == "nonce")
        #expect(try await refusal(["aud": "client"], nonce: "m") == "nonce")
        let passage = ProviderPassage(SigningProvider(), Self.settings)
        let without = NativeIDToken(idToken: Secret(passage.provider.idToken()), nonce: "", names: [:])
        await #expect(throws: ConnectionProblem(.misconfigured, code: "native")) {
            try await passage.speaker.verify(without, at: passage.connection)
        }
    }

    @Test func `F-23: a provider without ID tokens has no native sign-in: an access token says nothing`() async throws {
        let passage = ProviderPassage(
            SigningProvider(), OpenIDConnectionSettings(preset: "github", clientID: "client"))
        let token = NativeIDToken(idToken: Secret("gho_access"), nonce: "n", names: [:])
        await #expect(throws: ConnectionProblem(.misconfigured, code: "native")) {
            try await passage.speaker.verify(token, at: passage.connection)
        }
    }
}
