#if os(Linux)
    import Crypto
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("Device keys of a TPM", .enabled(if: RealTPM.isInstalled))
    struct TPMKeysTests {
        static let place = StoredDeviceKeys.place("a")

        static func isValid(_ key: any DeviceKey, by point: [UInt8]? = nil) async throws -> Bool {
            let message = Array("message".utf8)
            let signature = try await key.signature(of: message)
            return try P256.Signing.PublicKey(rawRepresentation: point ?? key.publicKey)
                .isValidSignature(.init(rawRepresentation: signature), for: message)
        }

        static func found(_ reading: DeviceKeyReading) throws -> any DeviceKey {
            guard case .found(let key) = reading else { throw AuthError(.storeUnavailable, "no key: \(reading)") }
            return key
        }

        @Test func `a key stays in the TPM, signs there, and is found again after a restart of both`() async throws {
            let (chip, directory) = (try await RealTPM(), try TemporaryDirectory())
            let store = SealedFileStore(directory.locations, ambient: .live)
            let keys = TPMKeys(store: store, keys: .tpm(chip.name), ambient: .live)
            let made = try await keys.makeKey("a")
            #expect(try await keys.makeKey("a").publicKey == made.publicKey)
            try chip.restart()
            let later = TPMKeys(
                store: SealedFileStore(directory.locations, ambient: .live), keys: .tpm(chip.name), ambient: .live)
            let found = try Self.found(await later.key("a"))
            #expect(found.publicKey == made.publicKey)
            #expect(try await Self.isValid(found))
            try await later.removeKey("a")
            try await later.removeKey("a")
            guard case .absent = await later.key("a") else { throw AuthError(.storeUnavailable, "it is still there") }
        }

        @Test func `two makers at once end up with one key`() async throws {
            let chip = try await RealTPM()
            let store = MemoryStore()
            let points = try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        try await TPMKeys(store: store, keys: .tpm(chip.name), ambient: .live).makeKey("a").publicKey
                    }
                }
                return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
            }
            #expect(points.count == 1)
        }

        @Test func `with another TPM, or a cleared one, the key is lost, and only a new sign-in makes another`()
            async throws
        {
            let (chip, other) = (try await RealTPM(), try await RealTPM())
            let store = MemoryStore()
            let made = try await TPMKeys(store: store, keys: .tpm(chip.name), ambient: .live).makeKey("a")
            let thief = TPMKeys(store: store, keys: .tpm(other.name), ambient: .live)
            let stolen = try Self.found(await thief.key("a"))
            await #expect(throws: AuthError(.deviceKeyLost, "")) { try await stolen.signature(of: [1]) }
            #expect(try await Self.isValid(made), "nothing was changed")
            try chip.clear()
            let keys = TPMKeys(store: store, keys: .tpm(chip.name), ambient: .live)
            await #expect(throws: AuthError(.deviceKeyLost, "")) { try await made.signature(of: [1]) }
            let next = try await keys.makeKey("a")
            #expect(next.publicKey != made.publicKey)
            #expect(try await Self.isValid(next))
        }

        @Test func `a TPM that is gone loses nothing, and software never takes its place`() async throws {
            let chip = try await RealTPM()
            let store = MemoryStore()
            let keys = TPMKeys(store: store, keys: .tpm(chip.name), ambient: .live)
            let made = try await keys.makeKey("a")
            let record = await store.read(Self.place).record
            chip.stop()
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await made.signature(of: [1]) }
            for place in [LinuxKeyPlace.tpm(chip.name), .software] {
                let others = TPMKeys(store: store, keys: place, ambient: .live)
                #expect(try Self.found(await others.key("a")).publicKey == made.publicKey)
                await #expect(throws: AuthError(.storeUnavailable, "")) { try await others.makeKey("a") }
            }
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await keys.makeKey("b") }
            #expect(await store.read(Self.place).record == record)
            #expect(await store.read(StoredDeviceKeys.place("b")).isAbsent)
        }

        @Test func `a key in software counts as none for a caller that wants the TPM`() async throws {
            let chip = try await RealTPM()
            let store = MemoryStore()
            let software = try await StoredDeviceKeys(store).makeKey("a")
            let automatic = TPMKeys(store: store, keys: .automatic, ambient: .live)
            #expect(try await automatic.makeKey("a").publicKey == software.publicKey, "it stays where it is")
            let keys = TPMKeys(store: store, keys: .tpm(chip.name), ambient: .live)
            guard case .absent = await keys.key("a") else { throw AuthError(.storeUnavailable, "it counts") }
            let made = try await keys.makeKey("a")
            #expect(made.publicKey != software.publicKey)
            #expect(try await Self.isValid(made))
            #expect(try Self.found(await automatic.key("a")).publicKey == made.publicKey)
        }

        @Test func `a damaged record is neither a key nor none`() async throws {
            let store = MemoryStore()
            let keys = TPMKeys(store: store, keys: .software, ambient: .live)
            let generation = TPMKeyRecord(publicKey: [], object: TPMObject(secret: [], area: [])).stored(id: "x")
                .generation
            for contents in ["", "{}", #"{"version":2,"public_key":"","content":"","wrapper":""}"#] {
                let damaged = StoredRecord(generation: generation, contents: Array(contents.utf8))
                _ = try await store.write(damaged, for: Self.place, when: .always)
                guard case .unavailable = await keys.key("a") else { throw AuthError(.storeUnavailable, contents) }
                await #expect(throws: AuthError(.storeUnavailable, "")) { try await keys.makeKey("a") }
            }
        }
    }

    @Suite("Device keys without a TPM")
    struct TPMKeysFallbackTests {
        @Test func `without a TPM the key is made in software, and kept as ever`() async throws {
            let store = MemoryStore()
            let made = try await TPMKeys(store: store, keys: .software, ambient: .live).makeKey("a")
            #expect(try await TPMKeysTests.isValid(made))
            #expect(try TPMKeysTests.found(await StoredDeviceKeys(store).key("a")).publicKey == made.publicKey)
        }

        @Test func `a name that is none is the caller's mistake`() async throws {
            let keys = TPMKeys(store: MemoryStore(), keys: .tpm("/tmp/evil.so"), ambient: .live)
            await #expect(throws: AuthError(.misconfigured, "")) { try await keys.makeKey("a") }
        }
    }
#endif
