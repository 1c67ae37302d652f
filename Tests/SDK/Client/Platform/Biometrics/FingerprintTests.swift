#if os(Linux)
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("The fingerprint reader of a Linux machine", .enabled(if: RealFingerprints.isInstalled), .serialized)
    struct FingerprintTests {
        static let prompt = BiometricPrompt(reason: "to sign in")

        @Test func `a reader without fingers says so, and one with a finger recognises it`() async throws {
            let real = try await RealFingerprints()
            let moments = Locked<[FingerprintMoment]>([])
            let device = real.device(MemoryStore()) { moment in
                moments.withLock { $0.append(moment) }
                return moment == .touch ? "SCAN andy" : nil
            }
            await #expect(throws: AuthError(.biometricNoEnrollment, "")) {
                try await device.checkSupport(.anyBiometry)
            }
            await #expect(throws: AuthError(.biometricNoEnrollment, "")) { try await device.recognise(Self.prompt) }
            try await real.enrol("right-index-finger", "andy")
            try await device.checkSupport(.anyBiometry)
            try await device.recognise(Self.prompt)
            #expect(moments.withLock { $0 } == [.touch, .over])
        }

        @Test func `an unknown finger is none, three times, and a known one among them is enough`() async throws {
            let real = try await RealFingerprints()
            try await real.enrol("right-index-finger", "andy")
            let moments = Locked<[FingerprintMoment]>([])
            let stranger = real.device(MemoryStore()) { moment in
                moments.withLock { $0.append(moment) }
                return moment == .touch ? "SCAN mallory" : nil
            }
            await #expect(throws: AuthError(.biometricFailed, "")) { try await stranger.recognise(Self.prompt) }
            #expect(moments.withLock { $0.count { $0 == .touch } } == 3)
            let tries = Locked(0)
            let late = real.device(MemoryStore()) { moment in
                guard moment == .touch else { return nil }
                return tries.withLock { count in
                    count += 1
                    return count == 2 ? "SCAN andy" : "SCAN mallory"
                }
            }
            try await late.recognise(Self.prompt)
        }

        @Test func `a finger that cannot be read is asked for again`() async throws {
            let real = try await RealFingerprints()
            try await real.enrol("left-thumb", "andy")
            let device = real.device(MemoryStore()) { moment in
                switch moment {
                case .touch: "RETRY 0"
                case .unclear: "SCAN andy"
                default: nil
                }
            }
            try await device.recognise(Self.prompt)
        }

        @Test func `whoever stops waiting lets go of the reader`() async throws {
            let real = try await RealFingerprints()
            try await real.enrol("left-thumb", "andy")
            let isWaiting = Gate()
            let device = real.device(MemoryStore()) { moment in
                if moment == .touch { Task { await isWaiting.pass() } }
                return nil
            }
            let waiting = Task { try await device.recognise(Self.prompt) }
            await isWaiting.someoneArrives()
            // Somebody else gets the reader only afterwards.
            await #expect(throws: AuthError(.unavailable, "")) { try await device.recognise(Self.prompt) }
            waiting.cancel()
            await #expect(throws: AuthError(.cancelled, "")) { try await waiting.value }
            try await real.device(MemoryStore()) { $0 == .touch ? "SCAN andy" : nil }.recognise(Self.prompt)
        }

        @Test func `a reader that this program may not use, or that is gone, is no reader`() async throws {
            let real = try await RealFingerprints()
            try await real.enrol("left-thumb", "andy")
            let device = real.device(MemoryStore()) { $0 == .touch ? "UNPLUG" : nil }
            try real.allow(false)
            await #expect(throws: AuthError(.biometricUnsupported, "")) {
                try await device.checkSupport(.anyBiometry)
            }
            try real.allow(true)
            await #expect(throws: AuthError(.unavailable, "")) { try await device.recognise(Self.prompt) }
        }

        @Test func `a key ends with another finger, unless it was made for any`() async throws {
            let real = try await RealFingerprints()
            try await real.enrol("left-thumb", "andy")
            let store = MemoryStore()
            let device = real.device(store) { $0 == .touch ? "SCAN andy" : nil }
            let made = try await device.makeKey("current", Self.prompt)
            _ = try await device.makeKey("any", BiometricPrompt(reason: "x", policy: .anyBiometry))
            try await device.keepSecret([1, 2, 3], "secret", .currentBiometry)
            #expect(try await device.key("current")?.publicKey == made.publicKey)
            #expect(try await device.secret("secret", Self.prompt) == [1, 2, 3])
            try await real.enrol("right-thumb", "mallory")
            await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
                _ = try await made.signature(of: [1], Self.prompt)
            }
            #expect(try await device.key("current") == nil)
            #expect(try await !device.hasSecret("secret"))
            #expect(try await device.secret("secret", Self.prompt) == nil)
            let any = try #require(try await device.key("any"))
            _ = try await any.signature(of: [1], Self.prompt)
        }

        @Test func `a finger and a TPM sign in`() async throws {
            let real = try await RealFingerprints()
            try await real.enrol("left-thumb", "andy")
            let chip = RealTPM.isInstalled ? try await RealTPM() : nil
            let world = try World()
            let device = real.device(world.store, keys: chip.map { .tpm($0.name) } ?? .software) {
                $0 == .touch ? "SCAN andy" : nil
            }
            let auth = try await world.enabled(device)
            try await auth.logout()
            #expect(try await auth.biometrics.authenticate(World.prompt).idToken?.subject == "andy")
            try real.forgetFingers()
            #expect(try await !auth.biometrics.isEnabled())
            #expect(await world.store.read("default/biometric-key").isAbsent)
        }
    }
#endif
