#if os(Linux)
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    /// A fingerprint service that says what a test wants.
    @Suite("The fingerprint reader: what the bus may say")
    struct FingerprintBusTests {
        static let prompt = BiometricPrompt(reason: "to sign in")
        static let reader = "/net/reactivated/Fprint/Device/0"

        /// - Parameters:
        ///   - refusing: The method that is refused, and how.
        ///   - verifying: What is said once a finger is waited for.
        private static func device(
            refusing: (member: String, error: String)? = nil, verifying: [[UInt8]] = []
        ) throws -> (LinuxBiometrics, FakeBus) {
            let bus = try FakeBus { message in
                if let refusing, message.member == refusing.member {
                    return [FakeBus.error(to: message, refusing.error)]
                }
                switch message.member {
                case "GetDefaultDevice": return [FakeBus.reply(to: message, "o") { $0.write(reader) }]
                case "ListEnrolledFingers":
                    return [
                        FakeBus.reply(to: message, "as") { $0.array(alignment: 4, ["left-thumb"]) { $0.write($1) } }
                    ]
                case "VerifyStart": return verifying + [FakeBus.reply(to: message, "") { _ in }]
                default: return [FakeBus.reply(to: message, "") { _ in }]
                }
            }
            return (
                LinuxBiometrics(store: MemoryStore(), keys: .software, addresses: [bus.address], ambient: .live), bus
            )
        }

        private static func status(_ result: String, isDone: Bool, sender: String = ":1.7") -> [UInt8] {
            var signal = BusMessage(.signal)
            signal.serial = 1
            signal.path = reader
            signal.interface = "net.reactivated.Fprint.Device"
            signal.member = "VerifyStatus"
            signal.sender = sender
            signal.signature = "sb"
            var writer = BusWriter()
            writer.write(result)
            writer.write(isDone)
            signal.body = writer.bytes
            return signal.encoded()
        }

        @Test(arguments: [
            ("GetDefaultDevice", "net.reactivated.Fprint.Error.NoSuchDevice", AuthError.Code.biometricUnsupported),
            ("GetDefaultDevice", "org.freedesktop.DBus.Error.ServiceUnknown", .biometricUnsupported),
            ("GetDefaultDevice", "org.freedesktop.DBus.Error.Spawn.ExecFailed", .biometricUnsupported),
            ("ListEnrolledFingers", "net.reactivated.Fprint.Error.NoEnrolledPrints", .biometricNoEnrollment),
            ("ListEnrolledFingers", "net.reactivated.Fprint.Error.PermissionDenied", .biometricUnsupported),
            ("ListEnrolledFingers", "net.reactivated.Fprint.Error.Internal", .unavailable),
        ])
        func `what is missing has a name`(_ member: String, _ error: String, _ code: AuthError.Code) async throws {
            let (device, bus) = try Self.device(refusing: (member, error))
            await #expect(throws: AuthError(code, "")) { try await device.checkSupport(.anyBiometry) }
            await #expect(throws: AuthError(code, "")) { _ = try await device.makeKey("a", Self.prompt) }
            bus.stop()
        }

        @Test(arguments: [
            ("Claim", "net.reactivated.Fprint.Error.AlreadyInUse", AuthError.Code.unavailable),
            ("Claim", "net.reactivated.Fprint.Error.PermissionDenied", .biometricUnsupported),
            ("VerifyStart", "net.reactivated.Fprint.Error.NoEnrolledPrints", .biometricNoEnrollment),
            ("VerifyStart", "net.reactivated.Fprint.Error.Internal", .unavailable),
        ])
        func `so has what stops a touch`(_ member: String, _ error: String, _ code: AuthError.Code) async throws {
            let (device, bus) = try Self.device(refusing: (member, error))
            await #expect(throws: AuthError(code, "")) { try await device.recognise(Self.prompt) }
            bus.stop()
        }

        @Test func `a match that somebody else on the bus tells of is none`() async throws {
            let (device, bus) = try Self.device(verifying: [
                Self.status("verify-match", isDone: true, sender: ":1.666"),
                Self.status("verify-no-match", isDone: true),
            ])
            await #expect(throws: AuthError(.biometricFailed, "")) { try await device.recognise(Self.prompt) }
            #expect(bus.calls.count { $0 == "VerifyStart" } == 3)
            #expect(bus.calls.suffix(2) == ["VerifyStop", "Release"])
            bus.stop()
        }

        @Test(arguments: ["verify-unknown-error", "verify-disconnected", "verify-something-new"])
        func `a reader that fails recognises nobody, and is let go of`(_ result: String) async throws {
            let (device, bus) = try Self.device(verifying: [Self.status(result, isDone: true)])
            await #expect(throws: AuthError(.unavailable, "")) { try await device.recognise(Self.prompt) }
            #expect(bus.calls.suffix(2) == ["VerifyStop", "Release"])
            bus.stop()
        }

        @Test func `an unclear finger, and what nobody knows yet, is waited on`() async throws {
            let (device, bus) = try Self.device(verifying: [
                Self.status("verify-swipe-too-short", isDone: false),
                Self.status("verify-something-new", isDone: false), Self.status("verify-match", isDone: true),
            ])
            try await device.recognise(Self.prompt)
            bus.stop()
        }

        @Test func `a machine without a bus has no reader, and loses no key`() async throws {
            let store = MemoryStore()
            let (device, bus) = try Self.device(verifying: [Self.status("verify-match", isDone: true)])
            bus.stop()
            let nowhere = LinuxBiometrics(
                store: store, keys: .software, addresses: [.path(Array("/nowhere/bus".utf8))], ambient: .live)
            await #expect(throws: AuthError(.biometricUnsupported, "")) { try await nowhere.checkSupport(.anyBiometry) }
            _ = device
            let record = try await BiometricKeyStore(store: store, keys: .software, ambient: .live).makeKey(
                "a", fingers: ["x"])
            let key = try #require(try await nowhere.key("a"))
            await #expect(throws: AuthError(.biometricUnsupported, "")) {
                _ = try await key.signature(of: [1], Self.prompt)
            }
            #expect(try await BiometricKeyStore(store: store, keys: .software, ambient: .live).record("a") == record)
        }
    }
#endif
