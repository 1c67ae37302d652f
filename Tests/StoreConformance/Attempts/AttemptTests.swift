import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: counts of failed attempts")
struct AttemptTests {
    @Test(arguments: Engines.withValues)
    func `attack 80: good attempts do not count against a network, nor wipe out bad ones`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (attempts, now) = (bench.stores.attempts, bench.now)
        for _ in 0..<3 { _ = try await attempts.count(["here", "network"], windowSeconds: 100, at: now) }
        try await attempts.succeed(["here"], shared: "network", known: "here", at: now)
        let counts = try await attempts.count(["here", "network"], windowSeconds: 100, at: now + 1)
        #expect(counts.map(\.key) == ["here", "network"])
        #expect(counts.map(\.failures) == [1, 3])
        #expect(counts.map(\.isKnown) == [true, false])
        #expect(counts[0].previousAt == nil && counts[1].previousAt == now)
        let later = try await attempts.count(["network"], windowSeconds: 100, at: now + 101)
        #expect(later.map(\.failures) == [1], "a failure is forgotten after the window")
    }

    @Test(arguments: Engines.withValues)
    func `an account that is deleted takes its counts along, and no other's`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (attempts, now) = (bench.stores.attempts, bench.now)
        let user = try await bench.user("ann@example.com")
        let second = AttemptSubject.secondFactor(of: user.user.id)
        let owner = AttemptSubject.owner(user.user.id)
        let gone = [
            "account:email:ann@example.com", "account:email:ann@example.com@192.0.2.1", second, "\(second)@::1",
            owner, "\(owner)@192.0.2.1", "unassigned:email:ann@example.com@::1",
        ]
        let kept = ["account:email:ann@example.co", "account:email:ann@example.community", "network:192.0.2.1"]
        _ = try await attempts.count(gone + kept, windowSeconds: 100, at: now)
        #expect(try await bench.stores.users.delete(user.user.id, at: now))
        let counts = try await attempts.count(gone + kept, windowSeconds: 100, at: now + 1)
        #expect(counts.map(\.failures) == [1, 1, 1, 1, 1, 1, 1, 2, 2, 2])
    }

    @Test(arguments: Engines.withValues)
    func `attack 81: a good attempt makes several keys known`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (attempts, now) = (bench.stores.attempts, bench.now)
        _ = try await attempts.count(["name", "owner", "network"], windowSeconds: 100, at: now)
        try await attempts.succeed(["name", "owner"], shared: "network", known: ["name", "owner"], at: now)
        for key in ["name", "owner"] { #expect(try await attempts.isKnown(key)) }
        let counts = try await attempts.count(["name", "owner", "network"], windowSeconds: 100, at: now)
        #expect(counts.map(\.failures) == [1, 1, 1])
        #expect(counts.map(\.isKnown) == [true, true, false])
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred attempts at once each gets a count of its own`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        // In both orders: two transactions that take the same keys must not wait for each other.
        let counts = try await bench.race { [now = bench.now] stores, number in
            let keys = number % 2 == 0 ? ["account", "network"] : ["network", "account"]
            return try await stores.attempts.count(keys, windowSeconds: 100, at: now)
        }
        for key in ["account", "network"] {
            let failures = counts.flatMap(\.self).filter { $0.key == key }.map(\.failures)
            #expect(failures.sorted() == Array(1...100))
        }
    }

    @Test(arguments: Engines.withValues)
    func `a key is known after a good attempt, and asking counts nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (attempts, now) = (bench.stores.attempts, bench.now)
        #expect(try await !attempts.isKnown("here"))
        _ = try await attempts.count(["here"], windowSeconds: 100, at: now)
        #expect(try await !attempts.isKnown("here"))
        try await attempts.succeed([], shared: "network", known: "here", at: now)
        #expect(try await attempts.isKnown("here"))
        #expect(try await attempts.count(["here"], windowSeconds: 100, at: now).map(\.failures) == [2])
        #expect(try await !attempts.isKnown("network"))
    }

    @Test(arguments: Engines.withValues)
    func `a shared count never gets below nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (attempts, now) = (bench.stores.attempts, bench.now)
        _ = try await attempts.count(["network"], windowSeconds: 100, at: now)
        for _ in 0..<3 { try await attempts.succeed([], shared: "network", known: "here", at: now) }
        #expect(try await attempts.count(["network"], windowSeconds: 100, at: now).map(\.failures) == [1])
    }
}
