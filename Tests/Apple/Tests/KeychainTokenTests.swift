import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("A service's tokens in the keychain")
    struct KeychainTokenTests {
        let keychain = emptyKeychain()

        static func tokens(_ text: String) -> ServiceTokens {
            ServiceTokens(
                accessToken: text, refreshToken: "r-" + text, obtainedAt: UnixTime(rawValue: 1), expiresInSeconds: 60)
        }

        @Test func `two people have an item each, and neither overwrites the other`() async throws {
            let store = SessionTokenStore.keychain()
            #expect(try await store.read("service|ann") == nil)
            try await store.write(Self.tokens("a"), for: "service|ann")
            try await store.write(Self.tokens("b"), for: "service|bob")
            try await store.write(Self.tokens("a2"), for: "service|ann")
            let again = SessionTokenStore.keychain()
            #expect(try await again.read("service|ann") == Self.tokens("a2"))
            #expect(try await again.read("service|bob") == Self.tokens("b"))
            try await again.clear("service|bob")
            #expect(try await store.read("service|bob") == nil)
            #expect(try await store.read("service|ann") == Self.tokens("a2"))
        }

        @Test func `tokens and sessions do not meet`() async throws {
            try await SessionTokenStore.keychain().write(Self.tokens("a"), for: "default")
            #expect(await KeychainStore().read("default").isAbsent)
            #expect(KeychainStore.Options.tokens.service != KeychainStore.Options().service)
        }

        @Test func `a keychain that cannot be read is no empty one`() async throws {
            let store = SessionTokenStore.keychain()
            try await store.write(Self.tokens("a"), for: "x")
            keychain.isEntitled = false
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await store.read("x") }
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                try await store.write(Self.tokens("b"), for: "x")
            }
        }
    }
}
