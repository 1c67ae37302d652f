import KeyturnBase
import Security
import Testing

@testable import Keyturn

extension AppleTests {
    /// What every session store promises, asked of this one: alone, and with a folder that processes share.
    @Suite("The keychain store as a session store")
    struct KeychainConformanceTests {
        /// Two views of one store, as two containers or processes have them.
        struct Subject {
            let first: KeychainStore
            let second: KeychainStore
            private let directory: TemporaryDirectory

            init(isShared: Bool) throws {
                _ = emptyKeychain()
                directory = try TemporaryDirectory()
                var options = KeychainStore.Options()
                options.directory = isShared ? directory.path : nil
                (first, second) = (KeychainStore(options), KeychainStore(options))
            }
        }

        @Test(arguments: [false, true])
        func `nothing was stored yet`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            #expect(await subject.first.read("a").isAbsent)
            #expect(await subject.first.changeMark("a") == subject.second.changeMark("a"))
            #expect(try await subject.first.remove("a", when: .always) == .done)
            #expect(!StandInKeychain.shared.contents.contains { $0["acct"] as? String == "a" })
        }

        @Test(arguments: [false, true])
        func `what one writes the other reads`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            try await subject.first.write(record(1), for: "a")
            #expect(await subject.second.read("a").record == record(1))
            try await subject.second.write(record(2, ""), for: "a")
            #expect(await subject.first.read("a").record == record(2, ""))
            try await subject.first.remove("a")
            #expect(await subject.second.read("a").isAbsent)
        }

        @Test(arguments: [false, true])
        func `every change changes the mark, and nothing else does`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            var marks: [ChangeMark?] = [await subject.second.changeMark("a")]
            for number in 1...3 {
                try await subject.first.write(record(UInt64(number)), for: "a")
                marks.append(await subject.second.changeMark("a"))
                #expect(marks.last == (await subject.second.changeMark("a")))
            }
            try await subject.first.remove("a")
            marks.append(await subject.second.changeMark("a"))
            for (one, next) in zip(marks, marks.dropFirst()) { #expect(one != next) }
        }

        static let names = [
            "", ".", "..", "a", "A", "a/b", "../a", "/etc/passwd", "=empty", "=61", "ä", "a\0b", "a\n", "new-1",
            String(repeating: "x", count: 300), String(repeating: "x", count: 301), String(repeating: "/", count: 100),
        ]

        @Test(arguments: [false, true])
        func `any name is a name of its own`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            for (index, name) in Self.names.enumerated() {
                let outcome = try await subject.first.write(record(UInt64(index)), for: name, when: .absent)
                #expect(outcome == .done, "\(name.debugDescription)")
            }
            for (index, name) in Self.names.enumerated() {
                #expect(await subject.second.read(name).record == record(UInt64(index)), "\(name.debugDescription)")
            }
        }

        @Test(arguments: [false, true])
        func `the lock lets one in at a time`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            let held = try #require(try await subject.first.lock("a", timeoutSeconds: 0))
            #expect(try await subject.second.lock("a", timeoutSeconds: 0) == nil)
            let other = try #require(try await subject.second.lock("b", timeoutSeconds: 0))
            await held.unlock()
            await held.unlock()
            let next = try #require(try await subject.second.lock("a", timeoutSeconds: 0))
            await held.unlock()
            #expect(try await subject.first.lock("a", timeoutSeconds: 0) == nil)
            await next.unlock()
            await other.unlock()
        }

        @Test(arguments: [false, true])
        func `a lock that is released lets the one who waits in`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            let held = try #require(try await subject.first.lock("a", timeoutSeconds: 5))
            let second = subject.second
            let waiting = Task { try await second.lock("a", timeoutSeconds: 5) }
            await held.unlock()
            await (try #require(try await waiting.value)).unlock()
        }

        @Test(arguments: [false, true])
        func `waiting for a lock can be cancelled`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            let held = try #require(try await subject.first.lock("a", timeoutSeconds: 5))
            let second = subject.second
            let waiting = Task { _ = try await second.lock("a", timeoutSeconds: 60) }
            waiting.cancel()
            await #expect(throws: AuthError(.cancelled, "")) { try await waiting.value }
            await held.unlock()
        }

        @Test(arguments: [false, true])
        func `a hundred counters under the lock lose nothing`(isShared: Bool) async throws {
            let subject = try Subject(isShared: isShared)
            let stores = [subject.first, subject.second]
            try await subject.first.write(record(0), for: "a")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<100 {
                    let store = stores[index % 2]
                    group.addTask {
                        let lock = try #require(try await store.lock("a", timeoutSeconds: 60))
                        let number = await store.read("a").record?.generation.number ?? 1_000
                        try await store.write(record(number + 1), for: "a")
                        await lock.unlock()
                    }
                }
                try await group.waitForAll()
            }
            #expect(await subject.second.read("a").record?.generation.number == 100)
        }
    }
}
