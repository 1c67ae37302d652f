#if os(Linux)
    import Crypto
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("A TPM through its library", .enabled(if: RealTPM.isInstalled))
    struct TPMTests {
        static let secret = Array("what must not be heard on the way".utf8)

        @Test func `a key signs, and a secret opens, in a later connection too`() async throws {
            let chip = try await RealTPM()
            let queue = TPMQueue()
            let made = try await queue.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.makeKey() }
            let sealed = try await queue.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.seal(Self.secret) }
            try chip.restart()
            let key = try P256.Signing.PublicKey(rawRepresentation: made.point)
            let digest = SHA256.hash(data: Self.secret)
            let signature = try await TPMQueue().use(chip.address) { (tpm) throws(TPMProblem) in
                try tpm.signature(of: Array(digest), with: made.object)
            }
            #expect(key.isValidSignature(try .init(rawRepresentation: signature), for: digest))
            let opened = try await TPMQueue().use(chip.address) { (tpm) throws(TPMProblem) in try tpm.unseal(sealed) }
            #expect(opened == Self.secret)
        }

        /// Everything that this library asks of a TPM, on a connection that protects its parameters so.
        private func everything(_ name: String, _ protection: TPM.Protection) async throws -> [UInt8] {
            let address = try #require(TPMAddress(name))
            return try await DetachedThread.run { () throws(TPMProblem) in
                var tpm = try TPM(address, protection)
                defer { tpm.close() }
                let key = try tpm.makeKey()
                _ = try tpm.signature(of: Array(SHA256.hash(data: Self.secret)), with: key.object)
                let sealed = try tpm.seal(Self.secret)
                guard try tpm.unseal(sealed) == Self.secret else { throw .malformed }
                return key.object.secret
            }
        }

        @Test(.enabled(if: TPMListener.isInstalled))
        func `a listener on the way hears neither a secret nor a wrapped key`() async throws {
            let chip = try await RealTPM()
            let listener = try await TPMListener(before: chip)
            let key = try await everything(listener.name, .encrypted)
            let heard = try listener.heard
            #expect(heard.count > 1_000, "the listener hears what goes by")
            #expect(heard.range(of: Data(Self.secret)) == nil)
            #expect(heard.range(of: Data(key)) == nil)
            // It would have heard them.
            let other = try await TPMListener(before: chip)
            let exposed = try await everything(other.name, .plain)
            let overheard = try other.heard
            #expect(overheard.range(of: Data(Self.secret)) != nil)
            #expect(overheard.range(of: Data(exposed)) != nil)
        }

        @Test func `what a cleared TPM made is foreign to it, and what it makes from now on is not`() async throws {
            let chip = try await RealTPM()
            let made = try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.makeKey() }
            try chip.clear()
            await #expect(throws: TPMProblem.foreign) {
                try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.check(made.object) }
            }
            try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in
                let next = try tpm.makeKey()
                try tpm.check(next.object)
            }
        }

        @Test func `a lockout after wrong passwords does not stop keys that have none`() async throws {
            let chip = try await RealTPM()
            let made = try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.makeKey() }
            try chip.lockOut()
            let signature = try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in
                try tpm.signature(of: Array(SHA256.hash(data: [1])), with: made.object)
            }
            #expect(signature.count == 64)
        }

        @Test func `a wrapped key that was changed does not load`() async throws {
            let chip = try await RealTPM()
            let made = try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.makeKey() }
            var secret = made.object.secret
            secret[secret.count - 1] ^= 1
            let changed = TPMObject(secret: secret, area: made.object.area)
            await #expect(throws: TPMProblem.foreign) {
                try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.check(changed) }
            }
            let cut = TPMObject(secret: made.object.secret, area: made.object.area.dropLast(1))
            await #expect(throws: TPMProblem.malformed) {
                try await TPMQueue.shared.use(chip.address) { (tpm) throws(TPMProblem) in try tpm.check(cut) }
            }
        }

        @Test(.timeLimit(.minutes(3)))
        func `a TPM that hangs is given up, with all who wait for it, and serves again when it is back`() async throws {
            let chip = try await RealTPM()
            let queue = TPMQueue(waitSeconds: 1)
            let address = try chip.address
            chip.pause(true)
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        do throws(TPMProblem) {
                            _ = try await queue.use(address) { (tpm) throws(TPMProblem) in try tpm.makeKey() }
                            return false
                        } catch {
                            return error == .unreachable("no answer in time")
                        }
                    }
                }
                for await isLate in group { #expect(isLate) }
            }
            chip.pause(false)
            let slower = TPMQueue()
            _ = try await slower.use(address) { (tpm) throws(TPMProblem) in try tpm.makeKey() }
        }

        @Test func `a TPM that goes away is unreachable`() async throws {
            let chip = try await RealTPM()
            let address = try chip.address
            chip.stop()
            await #expect(throws: TPMProblem.unreachable("0xa000a")) {
                try await TPMQueue.shared.use(address) { (tpm) throws(TPMProblem) in try tpm.makeKey() }
            }
        }
    }

    @Suite("What a TPM is called, and what it refuses")
    struct TPMNameTests {
        @Test func `a TPM is named as tpm2-tools name it`() {
            #expect(TPMAddress("device")?.configuration == "device:/dev/tpmrm0")
            #expect(TPMAddress("device:/dev/tpm0")?.configuration == "device:/dev/tpm0")
            for text in [
                "swtpm", "swtpm:host=localhost,port=99", "swtpm:path=/run/tpm", "mssim", "tabrmd:bus_name=x",
                "spi-ltt2go:x",
            ] {
                #expect(TPMAddress(text)?.configuration == text)
            }
            for text in [
                "", ":", ":path=/x", "/tmp/evil.so", "../evil:x", "./x", "libx.so", "a b", "Device", "device:/dev\0",
                "device:" + String(repeating: "x", count: 5_000),
            ] {
                #expect(TPMAddress(text) == nil)
            }
        }

        @Test func `a resource manager is known by its name`() {
            for (text, isManaged) in [
                ("device", true), ("device:/dev/tpmrm1", true), ("tabrmd:bus_type=session", true),
                ("device:/dev/tpm0", false), ("swtpm:path=/run/tpm", false),
            ] {
                #expect(TPMAddress(text)?.isManaged == isManaged, "\(text)")
            }
        }

        @Test func `a TPM's refusals are told apart`() {
            // The integrity check, for the first and the second parameter, from a resource manager too.
            for code: UInt32 in [0x1DF, 0x2DF, 0xC_01DF] { #expect(TPMProblem(code) == .foreign) }
            #expect(TPMProblem(0x9A2) == .refused(0x9A2))
            // 0x1F in another format is another refusal.
            #expect(TPMProblem(0x11F) == .refused(0x11F))
            #expect(TPMProblem(0xA_000A) == .unreachable("0xa000a"))
            #expect(TPMProblem(0x7_000E) == .malformed)
            #expect(TPMProblem(0x902).isFull && !TPMProblem(0x921).isFull)
            #expect(TPMProblem(0x922).isBusy && !TPMProblem(0x902).isBusy)
        }

        @Test func `a library that is missing is named, with its package`() throws {
            #expect(throws: TPMProblem.missing("libtss2-tctildr.so.99")) { try TPMLibrary(version: 99) }
            let problem = TPMProblem.missing("libtss2-esys.so.0")
            #expect(problem.authError.code == .storeUnavailable, "what is kept is not lost")
            #expect(problem.makingError.code == .unsupported)
            #expect(TPMProblem.refused(0x921).makingError.code == .storeUnavailable)
            for error in [problem.authError, problem.makingError] {
                #expect(error.detail.contains("libtss2-esys.so.0") && error.detail.contains("libtss2-esys-3.0.2-0t64"))
            }
        }

        @Test func `nothing in an answer is believed to be as long as it says`() {
            var reader = TPMBytes([0, 5, 1, 2])
            #expect(throws: TPMProblem.malformed) { try reader.sized() }
            var short = TPMBytes([7])
            #expect(throws: TPMProblem.malformed) { try short.uint16() }
        }
    }
#endif
