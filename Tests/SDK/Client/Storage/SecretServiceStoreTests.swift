#if os(Linux)
    import Foundation
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite(
        "The keyring", .serialized,
        .enabled(if: RealKeyring.isInstalled, "dbus-daemon, gnome-keyring-daemon or secret-tool is not installed"))
    struct SecretServiceStoreTests {
        static func record(_ number: UInt64, _ contents: String = "very secret") -> StoredRecord {
            StoredRecord(generation: Generation(signIn: "sign-in", number: number), contents: Array(contents.utf8))
        }

        @Test func `replacing leaves one item, and removing none`() async throws {
            let keyring = try await RealKeyring()
            for number in 1...3 {
                _ = try await keyring.store().write(Self.record(UInt64(number)), for: "a", when: .always)
            }
            #expect(try keyring.items("a").count == 1)
            #expect(await keyring.store().read("a").record == Self.record(3))
            _ = try await keyring.store().remove("a", when: .always)
            #expect(try keyring.lookUp("a") == "")
            #expect(await keyring.store().read("a").isAbsent)
        }

        @Test func `who comes too late leaves nothing, and takes nothing away, however old that is`() async throws {
            let keyring = try await RealKeyring()
            let clock = VirtualClock()
            let store = keyring.store(clock.ambient)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            clock.advance(86_400)
            #expect(try await store.write(Self.record(2), for: "a", when: .absent) == .overtaken)
            #expect(try await store.remove("a", when: .generation(Self.record(2).generation)) == .overtaken)
            let results = try await withThrowingTaskGroup(of: StoreOutcome.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await store.write(
                            Self.record(2), for: "a", when: .generation(Self.record(1).generation))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(results.filter { $0 == .done }.count == 1)
            #expect(try keyring.items("a").count == 1)
            #expect(await store.read("a").record == Self.record(2))
        }

        @Test func `a locked keyring is unavailable, and loses nothing`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            try keyring.lock()
            #expect(await store.read("a").isUnavailable)
            #expect(await store.read("never stored").isAbsent)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                try await store.remove("a", when: .generation(Self.record(1).generation))
            }
            // There is no desktop here to show the prompt: it ends as if dismissed.
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(Self.record(2), for: "a", when: .always)
            }
            keyring.kill()
            try await keyring.start()
            #expect(await store.read("a").record == Self.record(1))
        }

        @Test func `a keyring that is gone is unavailable, and found again when it is back`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            keyring.kill()
            #expect(await store.read("a").isUnavailable)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(Self.record(2), for: "a", when: .always)
            }
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                try await store.remove("a", when: .generation(Self.record(1).generation))
            }
            try await keyring.start()
            #expect(await store.read("a").record == Self.record(1))
            _ = try await store.write(Self.record(2), for: "a", when: .always)
            #expect(await store.read("a").record == Self.record(2))
        }

        @Test func `another keyring is not an empty one, and signing in gets out of it`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            keyring.kill()
            try keyring.directory.remove(".local/share/keyrings")
            try await keyring.start()
            #expect(await store.read("a").isUnavailable)
            #expect(await store.read("b").isAbsent)
            _ = try await store.write(Self.record(2), for: "a", when: .always)
            #expect(await store.read("a").record == Self.record(2))
        }

        @Test func `the largest record is kept, and a larger one refused`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            let generation = Generation(signIn: "large", number: 1)
            let largest = StoredRecord(
                generation: generation, contents: [UInt8](repeating: 7, count: Limits.recordMaxBytes))
            _ = try await store.write(largest, for: "a", when: .always)
            #expect(await store.read("a").record == largest)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                _ = try await store.write(
                    StoredRecord(generation: generation, contents: largest.contents + [7]), for: "a", when: .always)
            }
            #expect(await store.read("a").record == largest)
        }

        @Test func `a cancelled task still stores and removes`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            let task = Task {
                while !Task.isCancelled { await Task.yield() }
                _ = try await store.write(Self.record(1), for: "a", when: .always)
                let reading = await store.read("a")
                _ = try await store.remove("a", when: .always)
                return reading.record
            }
            task.cancel()
            #expect(try await task.value == Self.record(1))
            #expect(await store.read("a").isAbsent)
        }

        @Test func `readers never see anything between the old record and the new`() async throws {
            let keyring = try await RealKeyring()
            let store = keyring.store()
            _ = try await store.write(Self.record(0), for: "a", when: .always)
            let reader = Task {
                var last: UInt64 = 0
                while last < 30 {
                    let number = try #require(await store.read("a").record?.generation.number)
                    #expect(number >= last)
                    last = number
                }
            }
            for number in 1...30 { _ = try await store.write(Self.record(UInt64(number)), for: "a", when: .always) }
            try await reader.value
        }

        @Test func `without a bus there is nothing to read`() async throws {
            let directory = try TemporaryDirectory()
            let nowhere = BusAddress.path(Array((directory.path + "/nowhere").utf8))
            for addresses in [[], [nowhere]] {
                let store = SecretServiceStore(directory.locations, addresses: addresses, ambient: .live)
                #expect(await store.read("a").isAbsent)
                #expect(await !store.isOpen())
                await #expect(throws: AuthError(.storeUnavailable, "")) {
                    _ = try await store.write(Self.record(1), for: "a", when: .always)
                }
            }
            #expect(directory.contents.isEmpty)
        }
    }
#endif
