import Crypto
import KeyturnBase
import KeyturnJose
import Model
import SignIn
import Synchronization
import Testing

@testable import Federation

/// With a clock that the test moves.
@Suite("Keys of a provider that change, or do not come")
struct ProviderKeyTests {
    private static let start = SigningProvider.now

    private static func keys(_ provider: SigningProvider) -> ProviderKeys {
        ProviderKeys(
            uri: "https://provider.example/keys",
            requests: ProviderRequests(http: provider, connection: ProviderPassage(provider).connection))
    }

    private static func header(_ provider: SigningProvider) throws -> JWSHeader {
        try UnverifiedJWS(provider.idToken()).header
    }

    @Test func `kept keys count while the provider's do not come, up to a day, in each second`() async throws {
        let provider = SigningProvider()
        let keys = Self.keys(provider)
        let header = try Self.header(provider)
        #expect(try await keys.candidates(for: header, at: Self.start).count == 1)
        provider.change { $0.isDown = true }
        for later in [Limits.foreignKeySeconds, 3_601, 3_632, 7_300, Limits.foreignKeyStaleSeconds - 1] {
            #expect(try await keys.candidates(for: header, at: Self.start + later).count == 1, "after \(later)")
        }
        for later in [Limits.foreignKeyStaleSeconds, Limits.foreignKeyStaleSeconds + 1] {
            await #expect(throws: ConnectionFault.self, "after \(later)") {
                try await keys.candidates(for: header, at: Self.start + later)
            }
        }
    }

    @Test func `a key that is not known is not called wrong while the provider's do not come`() async throws {
        let provider = SigningProvider()
        let keys = Self.keys(provider)
        _ = try await keys.candidates(for: try Self.header(provider), at: Self.start)
        provider.change {
            $0.isDown = true
            $0.keyID = "k2"
        }
        let unknown = try Self.header(provider)
        let fault = await #expect(throws: ConnectionFault.self) {
            try await keys.candidates(for: unknown, at: Self.start + 60)
        }
        #expect(fault?.kind == .unavailable)
    }

    @Test func `a new key under an old name is read again once, and not for each forged token`() async throws {
        let provider = SigningProvider()
        let passage = ProviderPassage(provider)
        let keys = Self.keys(provider)
        let metadata = try ProviderMetadata(
            [
                "issuer": "https://provider.example", "authorization_endpoint": "https://provider.example/a",
                "token_endpoint": "https://provider.example/token", "jwks_uri": "https://provider.example/keys",
            ], issuer: "https://provider.example")
        guard case .openID(let settings) = passage.connection.settings else { return }
        let check = IDTokenCheck(
            settings: settings, preset: .openID, metadata: metadata, keys: keys, nonce: nil, audiences: ["client"])
        func judge(_ token: String, after seconds: Int64) async -> String? {
            do {
                _ = try await check.claims(of: token, accessToken: nil, at: Self.start + seconds)
                return nil
            } catch { return error.code }
        }
        #expect(await judge(provider.idToken(), after: 0) == nil)
        provider.keys.withLock { $0 = [("k1", P256.Signing.PrivateKey())] }
        #expect(await judge(provider.idToken(), after: 29) == "id_token_signature", "read just now")
        #expect(await judge(provider.idToken(), after: 30) == nil)
        #expect(provider.count("/keys") == 2)
        let forged = String(provider.idToken().dropLast(4)) + "AAAA"
        for second in Int64(31)..<60 { #expect(await judge(forged, after: second) == "id_token_signature") }
        #expect(provider.count("/keys") == 2)
        #expect(await judge(forged, after: 60) == "id_token_signature")
        #expect(provider.count("/keys") == 3)
        provider.change { $0.isDown = true }
        #expect(await judge(provider.idToken(), after: 95) == nil, "the kept key")
    }
}
