#if os(Linux)
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite(
        "A service's tokens in the keyring", .serialized,
        .enabled(if: RealKeyring.isInstalled, "dbus-daemon, gnome-keyring-daemon or secret-tool is not installed"))
    struct SecretServiceTokenTests {
        static func tokens(_ text: String) -> ServiceTokens {
            ServiceTokens(
                accessToken: text, refreshToken: "r-" + text, obtainedAt: UnixTime(rawValue: 1), expiresInSeconds: 60)
        }

        @Test func `two people have an item each, and neither overwrites the other`() async throws {
            let keyring = try await RealKeyring()
            let store = SessionTokenStore(keyring.store())
            let names = ["ann", "bob"].compactMap {
                ServiceCredential.threeLegged(uniqueID: $0).storageName(at: .box, of: BoxWorld.application)
            }
            #expect(try await store.read(names[0]) == nil)
            for (name, text) in zip(names, ["a", "b"]) { try await store.write(Self.tokens(text), for: name) }
            try await store.write(Self.tokens("a2"), for: names[0])
            let again = SessionTokenStore(keyring.store())
            #expect(try await again.read(names[0]) == Self.tokens("a2"))
            #expect(try await again.read(names[1]) == Self.tokens("b"))
            try await again.clear(names[1])
            #expect(try await store.read(names[1]) == nil)
            #expect(try await store.read(names[0]) == Self.tokens("a2"))
        }
    }
#endif
