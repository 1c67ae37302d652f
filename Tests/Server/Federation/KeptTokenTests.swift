import Federation
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Synchronization
import Testing

@Suite("Tokens of providers that are kept")
struct KeptTokenTests {
    private static let settings = OpenIDConnectionSettings(
        issuer: "https://provider.example", clientID: "client", clientSecret: "secret", keepsTokens: true)

    private static func answering(_ answer: [String: JSONValue]) -> ProviderPassage {
        ProviderPassage(SigningProvider { $0.tokenAnswer = .object(answer) }, settings)
    }

    @Test func `they come with the profile if the connection says so, and are asked for`() async throws {
        for keeps in [true, false] {
            var settings = Self.settings
            settings.keepsTokens = keeps
            let passage = ProviderPassage(SigningProvider(), settings)
            let (query, state) = try await passage.leave()
            #expect((query.values("scope").first?.contains("offline_access") ?? false) == keeps)
            passage.provider.change {
                $0.tokenAnswer = [
                    "access_token": "at", "refresh_token": "rt", "expires_in": 3600, "scope": "openid email",
                ]
            }
            let token = passage.provider.idToken()
            passage.provider.change {
                $0.tokenAnswer = .object(
                    ($0.tokenAnswer?.objectValue ?? [:]).merging(["id_token": .string(token)]) { first, _ in first })
            }
            let tokens = try await passage.comeBack(state).tokens
            #expect(
                tokens
                    == (keeps
                        ? ProviderTokens(
                            accessToken: "at", refreshToken: "rt", scopes: ["openid", "email"],
                            expiresAt: SigningProvider.now + 3_600) : nil))
        }
    }

    @Test func `a refresh sends the client's secret, and keeps the refresh token of a provider that does not rotate`()
        async throws
    {
        let passage = Self.answering(["access_token": "new", "expires_in": "60"])
        let old = ProviderTokens(accessToken: "at", refreshToken: "rt", scopes: ["a"])
        let fresh = try await passage.speaker.refresh(old, at: passage.connection)
        #expect(fresh.accessToken == "new" && fresh.refreshToken == "rt" && fresh.scopes == ["a"])
        #expect(fresh.expiresAt == SigningProvider.now + 60)
        #expect(passage.provider.redemption?.values("grant_type") == ["refresh_token"])
        let header = passage.provider.requests.withLock { $0.last?.headers["Authorization"] }
        #expect(header?.hasPrefix("Basic ") == true)
    }

    @Test func `F-46: a withdrawn refresh token is told apart from a provider that is down`() async throws {
        let old = ProviderTokens(accessToken: "at", refreshToken: "rt")
        let gone = Self.answering(["error": "invalid_grant"])
        gone.provider.change { $0.tokenStatus = 400 }
        await #expect(throws: ConnectionProblem(.refused, code: "invalid_grant")) {
            try await gone.speaker.refresh(old, at: gone.connection)
        }
        let down = Self.answering([:])
        down.provider.change { $0.tokenStatus = 503 }
        do {
            _ = try await down.speaker.refresh(old, at: down.connection)
            Issue.record("it was refreshed")
        } catch {
            #expect(error.kind == .unavailable)
        }
    }

    @Test func `revocation sends the refresh token to the endpoint of the metadata`() async throws {
        let passage = Self.answering([:])
        passage.provider.change {
            $0.discovery = ["revocation_endpoint": "https://provider.example/revoke"]
            $0.documents = ["https://provider.example/revoke": [:]]
        }
        try await passage.speaker.revoke(
            ProviderTokens(accessToken: "at", refreshToken: "rt"), at: passage.connection)
        let sent = try #require(passage.provider.requests.withLock { $0.last { $0.uri.hasSuffix("/revoke") } })
        let form = try FormParameters(parsing: String(decoding: sent.body, as: UTF8.self))
        #expect(form.values("token") == ["rt"] && form.values("token_type_hint") == ["refresh_token"])
        let without = Self.answering([:])
        await #expect(throws: ConnectionProblem(.misconfigured, code: "no_revocation_endpoint")) {
            try await without.speaker.revoke(ProviderTokens(accessToken: "at"), at: without.connection)
        }
    }
}
