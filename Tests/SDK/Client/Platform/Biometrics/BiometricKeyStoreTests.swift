#if os(Linux)
    import Crypto
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("Keys and secrets beside a fingerprint reader")
    struct BiometricKeyStoreTests {
        static func check(_ safe: BiometricKeyStore) async throws {
            let record = try await safe.makeKey("a", fingers: nil)
            let key = try P256.Signing.PublicKey(rawRepresentation: record.publicKey)
            for message in [[], Array("message".utf8), [UInt8](repeating: 7, count: 5_000)] {
                let found = try #require(try await safe.record("a"))
                let signature = try #require(try await safe.signature(of: message, with: found, "a"))
                #expect(key.isValidSignature(try .init(rawRepresentation: signature), for: message))
            }
            for count in [0, 1, 32, 129, 5_000] {
                let secret = [UInt8](repeating: 9, count: count)
                try await safe.keep(secret, "s", fingers: nil)
                let found = try #require(try await safe.record("s"))
                #expect(try await safe.secret(of: found, "s") == secret)
            }
            try await safe.remove("a")
            try await safe.remove("a")
            #expect(try await safe.record("a") == nil)
        }

        @Test func `a key in software signs, and a secret is kept`() async throws {
            try await Self.check(BiometricKeyStore(store: MemoryStore(), keys: .software, ambient: .live))
        }

        @Test(.enabled(if: RealTPM.isInstalled))
        func `a key of a TPM signs, and a secret is kept`() async throws {
            let chip = try await RealTPM()
            try await Self.check(BiometricKeyStore(store: MemoryStore(), keys: .tpm(chip.name), ambient: .live))
        }

        @Test(.enabled(if: RealTPM.isInstalled))
        func `what a TPM keeps is of no use with another one, nor in the store alone`() async throws {
            let (chip, other) = (try await RealTPM(), try await RealTPM())
            let store = MemoryStore()
            let safe = BiometricKeyStore(store: store, keys: .tpm(chip.name), ambient: .live)
            let secret = Array("the long secret".utf8)
            try await safe.keep(secret, "s", fingers: nil)
            let key = try await safe.makeKey("a", fingers: nil)
            let kept = try #require(try await safe.record("s"))
            #expect(kept.form == .tpm && !Data(kept.stored.contents).contains(Data(secret)))
            let thief = BiometricKeyStore(store: store, keys: .tpm(other.name), ambient: .live)
            #expect(try await thief.secret(of: kept, "s") == nil)
            #expect(try await thief.signature(of: [1], with: key, "a") == nil)
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await safe.secret(of: kept, "other") }
            #expect(try await safe.secret(of: kept, "s") == secret)
        }

        @Test(.enabled(if: RealTPM.isInstalled))
        func `a TPM that does not answer loses nothing`() async throws {
            let chip = try await RealTPM()
            let safe = BiometricKeyStore(store: MemoryStore(), keys: .tpm(chip.name), ambient: .live)
            let record = try await safe.makeKey("a", fingers: nil)
            chip.stop()
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await safe.signature(of: [1], with: record, "a")
            }
            await #expect(throws: AuthError(.storeUnavailable, "")) { _ = try await safe.makeKey("b", fingers: nil) }
            #expect(try await safe.record("a") == record)
            #expect(try await safe.record("b") == nil)
        }

        @Test func `a record that is damaged is not taken for none`() async throws {
            let store = MemoryStore()
            let safe = BiometricKeyStore(store: store, keys: .software, ambient: .live)
            let record = try await safe.makeKey("a", fingers: ["left-thumb"])
            #expect(record.isValid(for: ["left-thumb"]) && !record.isValid(for: ["left-thumb", "right-thumb"]))
            for contents in ["", "{}", #"{"version":2}"#] {
                let damaged = StoredRecord(generation: record.stored.generation, contents: Array(contents.utf8))
                _ = try await store.write(damaged, for: BiometricKeyRecord.place("a"), when: .always)
                await #expect(throws: AuthError(.storeUnavailable, "")) { try await safe.record("a") }
            }
        }
    }
#endif
