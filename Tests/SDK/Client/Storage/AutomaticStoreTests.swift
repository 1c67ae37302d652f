#if os(Linux)
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("The store that chooses by itself", .serialized)
    struct AutomaticStoreTests {
        static let installed: ConditionTrait = .enabled(
            if: RealKeyring.isInstalled, "dbus-daemon, gnome-keyring-daemon or secret-tool is not installed")

        static func record(_ number: UInt64) -> StoredRecord {
            StoredRecord(generation: Generation(signIn: "sign-in", number: number), contents: Array("secret".utf8))
        }

        /// As in a process of its own, which is told nothing but its environment.
        private func store(_ environment: [String: String]) throws -> AutomaticStore {
            AutomaticStore(
                try #require(SealedFileStore.Locations.from(environment)), addresses: BusAddress.session(environment),
                ambient: .live)
        }

        /// Whether the keyring has the contents, or the file alone.
        private func isInKeyring(_ environment: [String: String]) async throws -> Bool {
            let locations = try #require(SealedFileStore.Locations.from(environment))
            return await SealedFileStore(locations, ambient: .live).read("a").pointer != nil
        }

        @Test func `without a bus the sealed file is chosen, and nothing before a session is stored`() async throws {
            let home = try TemporaryDirectory()
            let store = try store(["HOME": home.path])
            #expect(await store.read("a").isAbsent)
            #expect(await store.changeMark("a") == nil)
            _ = try await store.remove("a", when: .always)
            #expect(home.contents.isEmpty)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            #expect(try await !isInKeyring(["HOME": home.path]))
            #expect(await store.read("a").record == Self.record(1))
        }

        @Test(installed) func `an open keyring is chosen, and kept while it is gone`() async throws {
            let keyring = try await RealKeyring()
            let store = try store(keyring.environment)
            #expect(await store.read("a").isAbsent)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            #expect(try await isInKeyring(keyring.environment))
            keyring.kill()
            let other = try self.store(keyring.environment)
            #expect(await other.read("a").isUnavailable)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await other.write(Self.record(2), for: "a", when: .always)
            }
            #expect(try await isInKeyring(keyring.environment))
            #expect(await other.read("never stored").isAbsent)
            try await keyring.start()
            #expect(await other.read("a").record == Self.record(1))
        }

        @Test(installed) func `a session in the sealed file stays there until it ends`() async throws {
            let keyring = try await RealKeyring()
            keyring.kill()
            let store = try store(keyring.environment)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            try await keyring.start()
            _ = try await store.write(Self.record(2), for: "a", when: .always)
            #expect(try await !isInKeyring(keyring.environment))
            #expect(await (try self.store(keyring.environment)).read("a").record == Self.record(2))
            _ = try await store.remove("a", when: .always)
            #expect(await store.read("a").isAbsent)
            _ = try await store.write(Self.record(3), for: "a", when: .always)
            #expect(try await isInKeyring(keyring.environment))
            #expect(await store.read("a").record == Self.record(3))
        }

        @Test(installed) func `whoever signs out of the keyring may sign in without one`() async throws {
            let keyring = try await RealKeyring()
            let store = try store(keyring.environment)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            _ = try await store.remove("a", when: .always)
            keyring.kill()
            #expect(await store.read("a").isAbsent)
            _ = try await store.write(Self.record(2), for: "a", when: .always)
            #expect(try await !isInKeyring(keyring.environment))
            #expect(await store.read("a").record == Self.record(2))
        }

        @Test(installed) func `a locked keyring is not chosen for a new session`() async throws {
            let keyring = try await RealKeyring()
            try keyring.lock()
            let store = try store(keyring.environment)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            #expect(try await !isInKeyring(keyring.environment))
            #expect(await store.read("a").record == Self.record(1))
        }

        @Test(installed) func `a new sign-in does not need the keyring of the last one`() async throws {
            let keyring = try await RealKeyring()
            let store = try store(keyring.environment)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            keyring.kill()
            let fresh = StoredRecord(generation: Generation(signIn: "another", number: 1), contents: [1])
            #expect(try await store.write(fresh, for: "a", when: .always) == .done)
            #expect(await store.read("a").record == fresh)
            #expect(try await !isInKeyring(keyring.environment))
        }

        @Test(installed) func `each container chooses for itself`() async throws {
            let keyring = try await RealKeyring()
            let store = try store(keyring.environment)
            _ = try await store.write(Self.record(1), for: "b", when: .always)
            keyring.kill()
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            #expect(try await !isInKeyring(keyring.environment))
            #expect(await store.read("b").isUnavailable)
        }

        @Test func `a keyring that looks open but takes nothing gives way to the sealed file`() async throws {
            let keyring = FakeKeyring()
            let bus = try FakeBus { message in
                message.member == "CreateItem"
                    ? [FakeBus.error(to: message, "org.freedesktop.DBus.Error.Failed")] : keyring.answer(message)
            }
            defer { bus.stop() }
            let home = try TemporaryDirectory()
            let locations = try #require(SealedFileStore.Locations.from(["HOME": home.path]))
            let store = AutomaticStore(locations, addresses: [bus.address], ambient: .live)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            #expect(bus.calls.contains("CreateItem"))
            #expect(try await !isInKeyring(["HOME": home.path]))
            #expect(await store.read("a").record == Self.record(1))
        }

        @Test func `what others may have written is unavailable, not undecided, and only a sign-in replaces it`()
            async throws
        {
            let home = try TemporaryDirectory()
            let store = try store(["HOME": home.path])
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            try home.setPermissions(0o777, ".local/state/keyturn/a")
            #expect(await store.read("a").isUnavailable)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(Self.record(2), for: "a", when: .generation(Self.record(1).generation))
            }
            _ = try await store.write(Self.record(2), for: "a", when: .always)
            #expect(await store.read("a").record == Self.record(2))
        }

        @Test func `an app that chooses nothing gets this one`() async throws {
            guard case let store as AutomaticStore = SessionStorage.automatic.makeStore(ambient: .live) else {
                #expect(SealedFileStore.Locations.environment() == nil)
                return
            }
            #expect(await store.changeMark("never used " + Ambient.live.randomToken(byteCount: 9)) == nil)
        }
    }
#endif
