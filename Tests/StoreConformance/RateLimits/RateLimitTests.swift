import KeyturnBase
import Model
import Testing

@Suite("Store: rate limits")
struct RateLimitTests {
    @Test(arguments: Engines.withValues)
    func `90: of a hundred parallel spendings no more succeed than the limit allows`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (rateLimits, now) = (bench.stores.rateLimits, bench.now)
        let charge = bench.charge("budget", max: 10)
        let answers = try await bench.race { stores, _ in try await stores.rateLimits.spend([charge], at: now) }
        #expect(answers.count { $0 == nil } == 10)
        #expect(answers.compactMap(\.self).allSatisfy { $0 == now + 60 })
        #expect(try await rateLimits.spend([charge], at: now + 59) == now + 60)
        try await rateLimits.refund(["budget"], at: now + 59)
        #expect(try await rateLimits.spend([charge], at: now + 59) == nil, "one was given back")
        #expect(try await rateLimits.spend([charge], at: now + 60) == nil, "a new window")
    }

    @Test(arguments: Engines.withValues)
    func `several limits are charged in order until one is empty, and what was refused was not spent`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (rateLimits, now) = (bench.stores.rateLimits, bench.now)
        let charges = [bench.charge("wide", max: 3), bench.charge("narrow", max: 1), bench.charge("last", max: 9)]
        #expect(try await rateLimits.spend(charges, at: now) == nil)
        #expect(try await rateLimits.spend(charges, at: now + 1) == now + 60, "the narrow one is empty")
        func left(_ key: String, _ max: Int64) async throws -> Bool {
            let look = RateLimitCharge(key, max: max, windowSeconds: 60, cost: 0)
            return try await rateLimits.spend([look], at: now + 1) == nil
        }
        #expect(try await left("wide", 3), "two of three were spent")
        #expect(try await !left("wide", 2))
        #expect(try await !left("narrow", 1))
        try await rateLimits.refund(["narrow"], at: now + 1)
        #expect(try await left("narrow", 1), "a refund is worth one spending, however often it was refused")
        #expect(try await left("last", 2), "charged once")
        #expect(try await !left("last", 1))
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred requests that charge two limits in both orders, both limits hold`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let charges = [bench.charge("one", max: 30), bench.charge("other", max: 20)]
        let answers = try await bench.race { [now = bench.now] stores, number in
            try await stores.rateLimits.spend(number % 2 == 0 ? charges : charges.reversed(), at: now)
        }
        #expect(answers.count { $0 == nil } <= 20)
        #expect(answers.count { $0 == nil } >= 10)
    }

    @Test(arguments: Engines.withValues)
    func `a look costs nothing, and a known key is not charged`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (rateLimits, now) = (bench.stores.rateLimits, bench.now)
        let look = RateLimitCharge("budget", max: 1, windowSeconds: 60, cost: 0)
        for _ in 0..<3 { #expect(try await rateLimits.spend([look], at: now) == nil) }
        #expect(try await rateLimits.spend([bench.charge("budget", max: 1)], at: now) == nil)
        #expect(try await rateLimits.spend([look], at: now) == now + 60)
        let waived = RateLimitCharge("budget", max: 1, windowSeconds: 60, unlessKnown: "here")
        #expect(try await rateLimits.spend([waived], at: now) == now + 60)
        try await bench.stores.attempts.succeed([], shared: "network", known: "here", at: now)
        #expect(try await rateLimits.spend([waived], at: now) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `a cleared limit is full again, and a refund never makes it more than full`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (rateLimits, now) = (bench.stores.rateLimits, bench.now)
        let charge = bench.charge("budget", max: 1)
        #expect(try await rateLimits.spend([charge], at: now) == nil)
        try await rateLimits.clear(["budget", "unknown"])
        for _ in 0..<3 { try await rateLimits.refund(["budget"], at: now) }
        #expect(try await rateLimits.spend([charge], at: now) == nil)
        for _ in 0..<3 { try await rateLimits.refund(["budget"], at: now) }
        #expect(try await rateLimits.spend([charge], at: now) == nil)
        #expect(try await rateLimits.spend([charge], at: now) == now + 60)
    }
}
