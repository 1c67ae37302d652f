#if os(Linux)
    import Dispatch
    import KeyturnBase
    import Testing

    @testable import Keyturn

    @Suite("Asking a person to unlock the keyring")
    struct SecretServicePromptTests {
        let directory: TemporaryDirectory
        let keyring = FakeKeyring()
        let bus: FakeBus
        let clock = VirtualClock()
        let store: SecretServiceStore

        init() throws {
            directory = try TemporaryDirectory()
            bus = try FakeBus { [keyring] in keyring.answer($0) }
            store = SecretServiceStore(directory.locations, addresses: [bus.address], ambient: clock.ambient)
        }

        static func record(_ number: UInt64) -> StoredRecord {
            StoredRecord(generation: Generation(signIn: "sign-in", number: number), contents: Array("secret".utf8))
        }

        private func prompts() -> Int { bus.calls.filter { $0 == "Prompt" }.count }

        @Test func `an open keyring asks nobody`() async throws {
            defer { bus.stop() }
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            #expect(await store.read("a").record == Self.record(1))
            #expect(prompts() == 0)
        }

        @Test(arguments: [FakeKeyring.Person.agrees, .isQuick])
        func `whoever agrees has the record stored`(_ person: FakeKeyring.Person) async throws {
            defer { bus.stop() }
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            keyring.lock(person)
            _ = try await store.write(Self.record(2), for: "a", when: .always)
            #expect(await store.read("a").record == Self.record(2))
            #expect(prompts() == 1)
        }

        @Test func `reading, removing and looking for changes never ask`() async throws {
            defer { bus.stop() }
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            let mark = await store.changeMark("a")
            keyring.lock(.agrees)
            #expect(await store.read("a").isUnavailable)
            #expect(await store.read("b").isAbsent)
            #expect(await store.changeMark("a") == mark)
            await #expect(throws: AuthError(.storeUnavailable, "")) {
                try await store.remove("a", when: .generation(Self.record(1).generation))
            }
            keyring.unlock()
            #expect(await store.read("a").record == Self.record(1))
            keyring.lock(.agrees)
            // Forced, it is forgotten; its item is locked away until somebody writes.
            #expect(try await store.remove("a", when: .always) == .done)
            #expect(await store.read("a").isAbsent)
            #expect(prompts() == 0)
            #expect(!bus.calls.contains("Unlock"))
        }

        @Test func `a new session of a store that chooses by itself asks nobody`() async throws {
            defer { bus.stop() }
            keyring.lock(.agrees)
            let store = AutomaticStore(directory.locations, addresses: [bus.address], ambient: clock.ambient)
            _ = try await store.write(Self.record(1), for: "a", when: .always)
            #expect(await store.read("a").record == Self.record(1))
            #expect(prompts() == 0)
        }

        @Test func `whoever refuses is left alone for ten minutes`() async throws {
            defer { bus.stop() }
            keyring.lock(.refuses)
            for (passed, asked) in [(0, 1), (1, 1), (598, 1), (1, 2), (599, 2), (1, 3)] as [(Int64, Int)] {
                clock.advance(passed)
                await #expect(throws: AuthError(.storeUnavailable, "")) {
                    _ = try await store.write(Self.record(1), for: "a", when: .always)
                }
                #expect(prompts() == asked, "after \(passed) more seconds")
            }
            #expect(await store.read("a").isAbsent)
        }

        @Test(.timeLimit(.minutes(5)), arguments: [FakeKeyring.Person.isAway, .isForged])
        func `a cancelled task waits for nobody, and the prompt goes away`(_ person: FakeKeyring.Person) async throws {
            defer { bus.stop() }
            keyring.lock(person)
            let start = ContinuousClock.now
            let waiting = Task { _ = try await store.write(Self.record(1), for: "a", when: .always) }
            while prompts() == 0 { await Task.yield() }
            // A forged answer has come by now, and is not believed.
            try await Task.sleep(for: .milliseconds(50))
            waiting.cancel()
            await #expect(throws: AuthError(.storeUnavailable, "")) { try await waiting.value }
            #expect(bus.calls.last == "Dismiss")
            #expect(ContinuousClock.now - start < .seconds(Limits.promptSeconds))
        }

        @Test(.timeLimit(.minutes(5)))
        func `a keyring that says nothing holds up nobody else's task`() async throws {
            let release = DispatchSemaphore(value: 0)
            let silent = try FakeBus { _ in
                release.wait()
                return nil
            }
            defer { silent.stop() }
            let store = SecretServiceStore(directory.locations, addresses: [silent.address], ambient: .live)
            let pointer = KeyringPointer(.live).record(Self.record(1).generation)
            _ = try await store.file.write(pointer, for: "a", when: .always)
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<32 { group.addTask { await store.read("a").isUnavailable } }
                while silent.calls.filter({ $0 == "SearchItems" }).count < 32 { await Task.yield() }
                for _ in 0..<32 { release.signal() }
                for await isUnavailable in group { #expect(isUnavailable) }
            }
        }
    }
#endif
