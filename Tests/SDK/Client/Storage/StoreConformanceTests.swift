import KeyturnBase
import Testing

@testable import Keyturn

@Suite("What every session store promises", .serialized)
struct StoreConformanceTests {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case memory, sealedFile, simple, keyring, automatic
        var testDescription: String { rawValue }

        /// Those that this machine has.
        static var allCases: [Kind] {
            #if os(Linux)
                RealKeyring.isInstalled
                    ? [.memory, .sealedFile, .simple, .keyring, .automatic] : [.memory, .sealedFile, .simple]
            #else
                [.memory, .sealedFile, .simple]
            #endif
        }
    }

    /// Two views of one store, as two containers or processes have them.
    struct Subject {
        let first: any SessionStore
        let second: any SessionStore
        let directory: TemporaryDirectory

        #if os(Linux)
            private let keyring: RealKeyring?
        #endif

        init(_ kind: Kind) async throws {
            directory = try TemporaryDirectory()
            #if os(Linux)
                keyring = kind == .keyring || kind == .automatic ? try await RealKeyring() : nil
            #endif
            switch kind {
            case .memory:
                first = MemoryStore()
                second = first
            case .simple:
                first = SimpleStore(Shelf())
                second = first
            case .sealedFile:
                first = SealedFileStore(directory.locations, ambient: .live)
                second = SealedFileStore(directory.locations, ambient: .live)
            case .keyring, .automatic:
                #if os(Linux)
                    let (locations, addresses) = (directory.locations, keyring?.addresses ?? [])
                    let make = { () -> any SessionStore in
                        kind == .keyring
                            ? SecretServiceStore(locations, addresses: addresses, ambient: .live)
                            : AutomaticStore(locations, addresses: addresses, ambient: .live)
                    }
                    (first, second) = (make(), make())
                #else
                    (first, second) = (MemoryStore(), MemoryStore())
                #endif
            }
        }
    }

    static func record(_ number: UInt64, _ contents: String = "contents") -> StoredRecord {
        StoredRecord(generation: Generation(signIn: "sign-in", number: number), contents: Array(contents.utf8))
    }

    @Test(arguments: Kind.allCases)
    func `nothing was stored yet`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        #expect(await subject.first.read("a").isAbsent)
        #expect(await subject.first.changeMark("a") == subject.second.changeMark("a"))
        #expect(try await subject.first.remove("a", when: .always) == .done)
        #expect(subject.directory.contents.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `what one writes the other reads`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        #expect(try await subject.first.write(Self.record(1), for: "a", when: .always) == .done)
        #expect(await subject.second.read("a").record == Self.record(1))
        #expect(try await subject.second.write(Self.record(2, ""), for: "a", when: .always) == .done)
        #expect(await subject.first.read("a").record == Self.record(2, ""))
        #expect(try await subject.first.remove("a", when: .always) == .done)
        #expect(await subject.second.read("a").isAbsent)
    }

    @Test(arguments: Kind.allCases)
    func `every change changes the mark, and nothing else does`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        var marks: [ChangeMark?] = [await subject.second.changeMark("a")]
        for number in 1...3 {
            #expect(try await subject.first.write(Self.record(UInt64(number)), for: "a", when: .always) == .done)
            marks.append(await subject.second.changeMark("a"))
            #expect(marks.last == (await subject.second.changeMark("a")))
        }
        #expect(try await subject.first.remove("a", when: .always) == .done)
        let last = await subject.second.changeMark("a")
        #expect(last != marks.last)
        for (one, next) in zip(marks, marks.dropFirst()) { #expect(one != next) }
    }

    static let names = [
        "", ".", "..", "a", "A", "a/b", "../a", "/etc/passwd", "=empty", "=61", "ä", "a\0b", "a\n", "new-1",
        String(repeating: "x", count: 300), String(repeating: "x", count: 301), String(repeating: "/", count: 100),
    ]

    @Test(arguments: Kind.allCases)
    func `any name is a name of its own`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        for (index, name) in Self.names.enumerated() {
            #expect(try await subject.first.write(Self.record(UInt64(index)), for: name, when: .always) == .done)
        }
        for (index, name) in Self.names.enumerated() {
            #expect(await subject.second.read(name).record == Self.record(UInt64(index)), "\(name.debugDescription)")
        }
        #expect(subject.directory.contents.allSatisfy { $0.hasPrefix("state") || $0.hasPrefix("config") })
    }

    @Test(arguments: Kind.allCases)
    func `the lock lets one in at a time`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
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

    @Test(arguments: Kind.allCases)
    func `a lock that is released lets the one who waits in`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        let held = try #require(try await subject.first.lock("a", timeoutSeconds: 5))
        let second = subject.second
        let waiting = Task { try await second.lock("a", timeoutSeconds: 5) }
        await held.unlock()
        await (try #require(try await waiting.value)).unlock()
    }

    @Test(arguments: Kind.allCases)
    func `waiting for a lock can be cancelled`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        let held = try #require(try await subject.first.lock("a", timeoutSeconds: 5))
        let second = subject.second
        let waiting = Task { _ = try await second.lock("a", timeoutSeconds: 60) }
        waiting.cancel()
        await #expect(throws: AuthError(.cancelled, "")) { try await waiting.value }
        await held.unlock()
    }

    @Test(arguments: Kind.allCases)
    func `a hundred counters under the lock lose nothing`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        let stores = [subject.first, subject.second]
        #expect(try await subject.first.write(Self.record(0), for: "a", when: .always) == .done)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                let store = stores[index % 2]
                group.addTask {
                    let lock = try #require(try await store.lock("a", timeoutSeconds: 60))
                    let number = await store.read("a").record?.generation.number ?? 1_000
                    #expect(try await store.write(Self.record(number + 1), for: "a", when: .always) == .done)
                    await lock.unlock()
                }
            }
            try await group.waitForAll()
        }
        #expect(await subject.second.read("a").record?.generation.number == 100)
    }

    @Test(arguments: Kind.allCases)
    func `a change under a condition happens only where it holds`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        let (one, two) = (Self.record(1), Self.record(2))
        #expect(try await subject.first.write(one, for: "a", when: .generation(one.generation)) == .overtaken)
        #expect(await subject.second.read("a").isAbsent)
        #expect(try await subject.first.remove("a", when: .generation(one.generation)) == .overtaken)
        #expect(try await subject.first.write(one, for: "a", when: .absent) == .done)
        #expect(try await subject.second.write(two, for: "a", when: .absent) == .overtaken)
        #expect(try await subject.second.write(two, for: "a", when: .generation(one.generation)) == .done)
        #expect(try await subject.first.remove("a", when: .generation(one.generation)) == .overtaken)
        #expect(await subject.first.read("a").record == two)
        #expect(try await subject.first.remove("a", when: .generation(two.generation)) == .done)
        #expect(try await subject.second.write(two, for: "a", when: .generation(two.generation)) == .overtaken)
        #expect(try await subject.second.write(one, for: "a", when: .absent) == .done)
    }

    @Test(arguments: Kind.allCases)
    func `of a hundred who replace the same record without a lock, one does`(_ kind: Kind) async throws {
        let subject = try await Subject(kind)
        let stores = [subject.first, subject.second]
        #expect(try await subject.first.write(Self.record(1), for: "a", when: .absent) == .done)
        let winners = try await withThrowingTaskGroup(of: StoreOutcome.self) { group in
            for index in 0..<100 {
                let store = stores[index % 2]
                group.addTask {
                    let next = Self.record(2, "by \(index)")
                    return try await store.write(next, for: "a", when: .generation(Self.record(1).generation))
                }
            }
            return try await group.reduce(into: 0) { $0 += $1 == .done ? 1 : 0 }
        }
        #expect(winners == 1)
        #expect(await subject.first.read("a").record?.generation.number == 2)
    }
}
