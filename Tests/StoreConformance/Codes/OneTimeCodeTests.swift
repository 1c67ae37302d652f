import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: one-time codes")
struct OneTimeCodeTests {
    /// A user with codes at one slot.
    private struct Codes: Sendable {
        let bench: Bench
        let andy: Account

        init(_ engine: any Engine) async throws {
            bench = try await Bench(engine)
            andy = try await bench.user()
        }

        var store: any OneTimeCodeStore { bench.stores.codes }
        var now: UnixTime { bench.now }

        func add(_ code: String, at moment: UnixTime? = nil, _ purpose: VerificationFacts.Purpose = .signIn)
            async throws
        {
            let moment = moment ?? now
            try await bench.stores.codes.add(
                PendingCode(
                    slot: "slot", digest: bench.digest(code), facts: try bench.facts(of: andy, purpose),
                    expiresAt: moment + 600), liveMax: 3, at: moment)
        }

        func redeem(_ code: String, party: String = "strangers", at moment: UnixTime? = nil) async throws -> CodeVerdict
        {
            try await bench.stores.codes.redeem(
                CodeTry(
                    slot: "slot", digests: [bench.digest(code)], counts: [TryCount(slot: "slot", party: party, max: 5)]),
                windowSeconds: 600, at: moment ?? now)
        }
    }

    @Test(arguments: Engines.withValues)
    func `86: of a hundred parallel submissions of one code one succeeds`(_ engine: any Engine) async throws {
        let codes = try await Codes(engine)
        try await codes.add("123456")
        let attempt = CodeTry(
            slot: "slot", digests: [codes.bench.digest("123456")],
            counts: [TryCount(slot: "slot", party: "strangers", max: 1_000)])
        let verdicts = try await codes.bench.race { [now = codes.now] stores, _ in
            try await stores.codes.redeem(attempt, windowSeconds: 600, at: now)
        }
        #expect(verdicts.count { if case .right = $0 { true } else { false } } == 1)
        #expect(verdicts.count { $0 == .wrong } == 99)
    }

    @Test(arguments: Engines.withValues)
    func `85: of a hundred parallel guesses no more are compared than may be tried`(_ engine: any Engine) async throws {
        let codes = try await Codes(engine)
        try await codes.add("123456")
        let (bench, now) = (codes.bench, codes.now)
        let verdicts = try await bench.race { stores, number in
            try await stores.codes.redeem(
                CodeTry(
                    slot: "slot", digests: [bench.digest("guess \(number)")],
                    counts: [TryCount(slot: "slot", party: "strangers", max: 5)]), windowSeconds: 600, at: now)
        }
        #expect(verdicts.count { $0 == .wrong } == 5)
        #expect(verdicts.count { $0 == .exhausted(retryAt: now + 600) } == 95)
        #expect(try await codes.redeem("123456") == .exhausted(retryAt: now + 600))
    }

    @Test(arguments: Engines.withValues)
    func `85: five tries, counted across re-sends, and then not even the right code`(_ engine: any Engine) async throws
    {
        let codes = try await Codes(engine)
        let now = codes.now
        try await codes.add("111111")
        for _ in 0..<3 { #expect(try await codes.redeem("000000") == .wrong) }
        try await codes.add("222222", at: now + 10)
        for _ in 0..<2 { #expect(try await codes.redeem("000000", at: now + 11) == .wrong) }
        #expect(try await codes.redeem("222222", at: now + 12) == .exhausted(retryAt: now + 600))
        try await codes.add("333333", at: now + 20)
        #expect(try await codes.redeem("333333", at: now + 599) == .exhausted(retryAt: now + 600))
        let right = CodeVerdict.right(try codes.bench.facts(of: codes.andy))
        #expect(try await codes.redeem("333333", at: now + 600) == right, "the window is over")
    }

    @Test(arguments: Engines.withValues)
    func `81: strangers use their own tries up, never those of a known device`(_ engine: any Engine) async throws {
        let codes = try await Codes(engine)
        try await codes.add("111111")
        for _ in 0..<50 { _ = try await codes.redeem("000000") }
        #expect(try await codes.redeem("111111") == .exhausted(retryAt: codes.now + 600))
        let right = CodeVerdict.right(try codes.bench.facts(of: codes.andy))
        #expect(try await codes.redeem("111111", party: "home") == right)
    }

    @Test(arguments: Engines.withValues)
    func `whether tries are left is told without counting, and a right code clears the counts`(_ engine: any Engine)
        async throws
    {
        let codes = try await Codes(engine)
        let count = TryCount(slot: "slot", party: "strangers", max: 5)
        try await codes.add("111111")
        for _ in 0..<4 { _ = try await codes.redeem("000000") }
        for _ in 0..<3 { #expect(try await codes.store.exhausted([count], at: codes.now) == nil) }
        let right = CodeVerdict.right(try codes.bench.facts(of: codes.andy))
        #expect(try await codes.redeem("111111") == right, "the fifth")
        for _ in 0..<5 { #expect(try await codes.redeem("000000") == .wrong, "counted from nothing again") }
        #expect(try await codes.store.exhausted([count], at: codes.now) == codes.now + 600)
        #expect(try await codes.store.exhausted([count], at: codes.now + 600) == nil)
        #expect(try await codes.store.exhausted([TryCount(slot: "other", party: "x", max: 1)], at: codes.now) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `a count that is not told passes a right code for a wrong one`(_ engine: any Engine) async throws {
        let codes = try await Codes(engine)
        try await codes.add("111111")
        func redeem(_ code: String) async throws -> CodeVerdict {
            try await codes.store.redeem(
                CodeTry(
                    slot: "slot", digests: [codes.bench.digest("old secret"), codes.bench.digest(code)],
                    counts: [TryCount(slot: "all", party: "all", max: 1, isTold: false)]),
                windowSeconds: 600, at: codes.now)
        }
        #expect(try await redeem("000000") == .wrong)
        #expect(try await redeem("111111") == .wrong)
    }

    @Test(arguments: Engines.withValues, [(Int64(599), true), (600, false), (601, false)])
    func `a code is over at the second`(_ engine: any Engine, _ moment: (second: Int64, isGood: Bool)) async throws {
        let codes = try await Codes(engine)
        try await codes.add("111111")
        let right = CodeVerdict.right(try codes.bench.facts(of: codes.andy))
        let verdict = try await codes.redeem("111111", at: codes.now + moment.second)
        #expect(verdict == (moment.isGood ? right : .expired))
    }

    @Test(arguments: Engines.withValues)
    func `a re-send leaves the earlier codes good, three at most, and one use ends all of its purpose`(
        _ engine: any Engine
    ) async throws {
        let codes = try await Codes(engine)
        let now = codes.now
        for (index, code) in ["1", "2", "3", "4"].enumerated() { try await codes.add(code, at: now + Int64(index)) }
        try await codes.add("update", at: now + 1, .update)
        #expect(try await codes.redeem("1", at: now + 5) == .wrong, "the oldest went")
        let right = CodeVerdict.right(try codes.bench.facts(of: codes.andy))
        #expect(try await codes.redeem("3", at: now + 5) == right)
        #expect(try await codes.redeem("4", at: now + 5) == .wrong)
        let update = CodeVerdict.right(try codes.bench.facts(of: codes.andy, .update))
        #expect(try await codes.redeem("update", at: now + 5) == update)
    }

    @Test(arguments: Engines.withValues)
    func `every code of one user is removed, and no other`(_ engine: any Engine) async throws {
        let codes = try await Codes(engine)
        try await codes.add("111111")
        let bea = try await codes.bench.user("bea@example.com")
        let facts = try codes.bench.facts(of: bea)
        try await codes.store.add(
            PendingCode(slot: "hers", digest: codes.bench.digest("1"), facts: facts, expiresAt: codes.now + 600),
            liveMax: 3, at: codes.now)
        try await codes.store.removeAll(of: codes.andy.user.id)
        #expect(try await codes.redeem("111111") == .wrong)
        let hers = CodeTry(slot: "hers", digests: [codes.bench.digest("1")], counts: [])
        #expect(try await codes.store.redeem(hers, windowSeconds: 600, at: codes.now) == .right(facts))
    }

    @Test(arguments: Engines.withValues)
    func `a message with a code and a link is answered once, whichever of a hundred comes first`(_ engine: any Engine)
        async throws
    {
        let codes = try await Codes(engine)
        let (bench, now) = (codes.bench, codes.now)
        let facts = try bench.facts(of: codes.andy, message: "message")
        let pending = PendingCode(slot: "slot", digest: bench.digest("1"), facts: facts, expiresAt: now + 600)
        try await bench.stores.codes.add(pending, liveMax: 3, at: now)
        try await bench.stores.links.add(
            [PendingLink(digest: bench.digest("link"), facts: facts)], reference: nil, expiresAt: now + 600, at: now)
        let attempt = CodeTry(slot: "slot", digests: [bench.digest("1")], counts: [])
        let answers = try await bench.race { stores, number in
            if number % 2 == 0 {
                return try await stores.codes.redeem(attempt, windowSeconds: 600, at: now) == .right(facts)
            }
            return try await stores.links.redeem(bench.digest("link"), at: now) == .right(facts, reference: nil)
        }
        #expect(answers.count { $0 } == 1)
        #expect(try await bench.stores.links.describe(bench.digest("link"), at: now) == nil)
        #expect(try await bench.stores.links.end(of: bench.digest("link"), at: now) == .spent)
    }
}
