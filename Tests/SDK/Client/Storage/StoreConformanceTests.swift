import KeyturnBase
import Testing

@testable import Keyturn

@Suite("What every session store promises")
struct StoreConformanceTests {
    enum Kind: String, CaseIterable, Sendable, CustomTestStringConvertible {
        case memory, sealedFile
        var testDescription: String { rawValue }
    }

    /// Two views of one store, as two containers or processes have them.
    struct Subject {
        let first: any SessionStore
        let second: any SessionStore
        let directory: TemporaryDirectory

        init(_ kind: Kind) throws {
            directory = try TemporaryDirectory()
            switch kind {
            case .memory:
                first = MemoryStore()
                second = first
            case .sealedFile:
                first = SealedFileStore(directory.locations, ambient: .live)
                second = SealedFileStore(directory.locations, ambient: .live)
            }
        }
    }

    static func record(_ number: UInt64, _ contents: String = "contents") -> StoredRecord {
        StoredRecord(generation: Generation(signIn: "sign-in", number: number), contents: Array(contents.utf8))
    }

    @Test(arguments: Kind.allCases)
    func `nothing was stored yet`(_ kind: Kind) async throws {
        let subject = try Subject(kind)
        #expect(await subject.first.read("a").isAbsent)
        #expect(await subject.first.changeMark("a") == subject.second.changeMark("a"))
        try await subject.first.remove("a")
        #expect(subject.directory.contents.isEmpty)
    }

    @Test(arguments: Kind.allCases)
    func `what one writes the other reads`(_ kind: Kind) async throws {
        let subject = try Subject(kind)
        try await subject.first.write(Self.record(1), for: "a")
        #expect(await subject.second.read("a").record == Self.record(1))
        try await subject.second.write(Self.record(2, ""), for: "a")
        #expect(await subject.first.read("a").record == Self.record(2, ""))
        try await subject.first.remove("a")
        #expect(await subject.second.read("a").isAbsent)
    }

    @Test(arguments: Kind.allCases)
    func `every change changes the mark, and nothing else does`(_ kind: Kind) async throws {
        let subject = try Subject(kind)
        var marks: [ChangeMark?] = [await subject.second.changeMark("a")]
        for number in 1...3 {
            try await subject.first.write(Self.record(UInt64(number)), for: "a")
            marks.append(await subject.second.changeMark("a"))
            #expect(marks.last == (await subject.second.changeMark("a")))
        }
        try await subject.first.remove("a")
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
        let subject = try Subject(kind)
        for (index, name) in Self.names.enumerated() {
            try await subject.first.write(Self.record(UInt64(index)), for: name)
        }
        for (index, name) in Self.names.enumerated() {
            #expect(await subject.second.read(name).record == Self.record(UInt64(index)), "\(name.debugDescription)")
        }
        #expect(subject.directory.contents.allSatisfy { $0.hasPrefix("state") || $0.hasPrefix("config") })
    }

    @Test(arguments: Kind.allCases)
    func `the lock lets one in at a time`(_ kind: Kind) async throws {
        let subject = try Subject(kind)
        let held = try await subject.first.lock("a", timeoutSeconds: 0)
        await #expect(throws: AuthError(.storeUnavailable, "")) {
            try await subject.second.lock("a", timeoutSeconds: 0)
        }
        let other = try await subject.second.lock("b", timeoutSeconds: 0)
        await held.unlock()
        await held.unlock()
        let next = try await subject.second.lock("a", timeoutSeconds: 0)
        await held.unlock()
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await subject.first.lock("a", timeoutSeconds: 0) }
        await next.unlock()
        await other.unlock()
    }

    @Test(arguments: Kind.allCases)
    func `a lock that is released lets the one who waits in`(_ kind: Kind) async throws {
        let subject = try Subject(kind)
        let held = try await subject.first.lock("a", timeoutSeconds: 5)
        let second = subject.second
        let waiting = Task { try await second.lock("a", timeoutSeconds: 5) }
        await held.unlock()
        await (try waiting.value).unlock()
    }

    @Test(arguments: Kind.allCases)
    func `waiting for a lock can be cancelled`(_ kind: Kind) async throws {
        let subject = try Subject(kind)
        let held = try await subject.first.lock("a", timeoutSeconds: 5)
        let second = subject.second
        let waiting = Task { _ = try await second.lock("a", timeoutSeconds: 60) }
        waiting.cancel()
        await #expect(throws: AuthError(.cancelled, "")) { try await waiting.value }
        await held.unlock()
    }

    @Test(arguments: Kind.allCases)
    func `a hundred counters under the lock lose nothing`(_ kind: Kind) async throws {
        let subject = try Subject(kind)
        let stores = [subject.first, subject.second]
        try await subject.first.write(Self.record(0), for: "a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                let store = stores[index % 2]
                group.addTask {
                    let lock = try await store.lock("a", timeoutSeconds: 60)
                    let number = await store.read("a").record?.generation.number ?? 1_000
                    try await store.write(Self.record(number + 1), for: "a")
                    await lock.unlock()
                }
            }
            try await group.waitForAll()
        }
        #expect(await subject.second.read("a").record?.generation.number == 100)
    }
}
