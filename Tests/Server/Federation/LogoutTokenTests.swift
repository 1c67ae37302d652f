import Federation
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Testing

@Suite("Logout notices of other providers")
struct LogoutTokenTests {
    private static let event: JSONValue = ["http://schemas.openid.net/event/backchannel-logout": [:]]
    private static let good: [String: JSONValue] = ["events": event, "jti": "n-1", "sid": "s-1"]

    private func judge(_ claims: [String: JSONValue], nonce: String? = nil, type: JSONValue? = "logout+jwt")
        async throws -> Result<ProviderLogout, ConnectionProblem>
    {
        let passage = ProviderPassage(
            SigningProvider {
                $0.claims = claims
                $0.nonce = nonce
                if let type { $0.header["typ"] = type }
            })
        do {
            return .success(try await passage.speaker.logout(passage.provider.idToken(), at: passage.connection))
        } catch {
            return .failure(error)
        }
    }

    private func refusal(_ change: [String: JSONValue], nonce: String? = nil, type: JSONValue? = "logout+jwt")
        async throws -> String?
    {
        let claims = Self.good.merging(change) { _, new in new }
        guard case .failure(let problem) = try await judge(claims, nonce: nonce, type: type) else { return nil }
        return problem.code
    }

    @Test func `F-47: a notice names a user, a session, or both`() async throws {
        let both = try await judge(Self.good).get()
        #expect(both.subject == "248289761001" && both.session == "s-1" && both.id == "n-1")
        #expect(both.issuer == "https://provider.example" && both.expiresAt == SigningProvider.now + 300)
        #expect(try await judge(Self.good.merging(["sub": .null]) { _, new in new }).get().subject == nil)
        #expect(try await judge(["events": Self.event, "jti": "n"]).get().session == nil)
        #expect(try await refusal([:], type: nil) == nil)
    }

    @Test func `F-47: what is no notice of the provider for this client is refused`() async throws {
        #expect(try await refusal(["events": .null]) == "events")
        #expect(try await refusal(["events": ["other": [:]]]) == "events")
        #expect(try await refusal([:], nonce: "n") == "nonce")
        #expect(try await refusal(["jti": .null]) == "jti")
        #expect(try await refusal(["sub": .null, "sid": .null]) == "sub")
        #expect(try await refusal(["aud": "other"]) == "aud")
        #expect(try await refusal(["iss": "https://evil.example"]) == "iss")
        #expect(try await refusal(["exp": .integer(SigningProvider.now.rawValue - 100)]) == "exp")
        #expect(try await refusal(["iat": .null]) == "iat")
        #expect(try await refusal([:], type: "at+jwt") == "id_token_form")
    }

    @Test func `an ID token is no notice, and a notice is no ID token`() async throws {
        #expect(try await refusal(["events": .null], nonce: "n", type: "JWT") == "events")
        let passage = ProviderPassage()
        let code = try await passage.refusal {
            $0.claims = Self.good
            $0.nonce = nil
        }
        #expect(code == "nonce")
    }

    @Test func `a notice by an unknown key is refused`() async throws {
        let passage = ProviderPassage(
            SigningProvider {
                $0.claims = Self.good
                $0.keyID = "unknown"
            })
        let token = passage.provider.idToken()
        await #expect(throws: ConnectionProblem.self) {
            try await passage.speaker.logout(token, at: passage.connection)
        }
    }
}
