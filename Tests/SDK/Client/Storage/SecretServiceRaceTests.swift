#if os(Linux)
    import Dispatch
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("Reading from the keyring while somebody writes")
    struct SecretServiceRaceTests {
        static func record(_ number: UInt64) -> StoredRecord {
            StoredRecord(generation: Generation(signIn: "sign-in", number: number), contents: Array("secret".utf8))
        }

        /// How an item can be gone when a reader comes to it.
        enum Loss: Sendable, CaseIterable {
            case isNotFound, isNoObject, looksLocked

            var member: String { self == .isNotFound ? "SearchItems" : "GetSecret" }

            func answer(_ message: BusMessage) -> [UInt8] {
                switch self {
                case .isNotFound:
                    FakeBus.reply(to: message, "aoao") { writer in
                        for _ in 0..<2 { writer.array(alignment: 4, [String]()) { $0.write($1) } }
                    }
                case .isNoObject: FakeBus.error(to: message, "org.freedesktop.Secret.Error.NoSuchObject")
                case .looksLocked: FakeBus.error(to: message, "org.freedesktop.Secret.Error.IsLocked")
                }
            }
        }

        @Test(.timeLimit(.minutes(5)), arguments: Loss.allCases, [true, false])
        func `an item that goes is looked for anew, if it was replaced`(_ loss: Loss, _ isReplaced: Bool) async throws {
            let keyring = FakeKeyring()
            let release = DispatchSemaphore(value: 0)
            let isArmed = Locked(false)
            let bus = try FakeBus { message in
                let isHeld = isArmed.withLock { isArmed in
                    guard isArmed, message.member == loss.member else { return false }
                    isArmed = false
                    return true
                }
                guard isHeld else { return keyring.answer(message) }
                release.wait()
                return [loss.answer(message)]
            }
            defer { bus.stop() }
            let directory = try TemporaryDirectory()
            let store = SecretServiceStore(directory.locations, addresses: [bus.address], ambient: .live)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            isArmed.withLock { $0 = true }
            let reader = Task { await store.read("a") }
            while isArmed.withLock({ $0 }) { await Task.yield() }
            if isReplaced { _ = try await store.write(Self.record(2), for: "a", when: .always) }
            release.signal()
            let reading = await reader.value
            #expect(isReplaced ? reading.record == Self.record(2) : reading.isUnavailable)
        }
    }
#endif
