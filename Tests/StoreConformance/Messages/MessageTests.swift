import KeyturnBase
import Model
import Testing

@Suite("Store: the queue of messages")
struct MessageTests {
    @Test(arguments: Engines.withValues)
    func `of a hundred callers one gets each message`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let now = bench.now
        for number in 0..<50 { try await bench.stores.messages.enqueue(bench.message("\(number)")) }
        #expect(try await bench.stores.messages.hasDue(at: now))
        let claims = try await bench.race { stores, _ in
            try await stores.messages.claim(limit: 3, leaseSeconds: 120, at: now)
        }
        let claimed = claims.flatMap(\.self)
        #expect(claims.allSatisfy { $0.count <= 3 })
        #expect(claimed.count == 50 && Set(claimed.map(\.message.id)).count == 50)
        #expect(claimed.allSatisfy { $0.attempt == 1 })
        #expect(try await !bench.stores.messages.hasDue(at: now + 119))
    }

    @Test(arguments: Engines.withValues)
    func `one message and two nodes, many times: one of them sends it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        for round in Int64(0)..<30 {
            try await bench.stores.messages.enqueue(bench.message("\(round)"))
            let (one, other) = try await bench.both(
                { try await $0.messages.claim(limit: 10, leaseSeconds: 1_000, at: bench.now) },
                { try await $0.messages.claim(limit: 10, leaseSeconds: 1_000, at: bench.now) })
            #expect(one.count + other.count == 1, "round \(round)")
        }
    }

    @Test(arguments: Engines.withValues)
    func `the oldest go first, and an identifier is queued once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (messages, now) = (bench.stores.messages, bench.now)
        for second in [Int64(3), 1, 2] {
            try await messages.enqueue(bench.message("\(second)", at: now + second))
        }
        try await messages.enqueue(bench.message("1", sealed: [7], at: now + 9))
        let first = try await messages.claim(limit: 2, leaseSeconds: 120, at: now + 10)
        #expect(first.map(\.message) == [bench.message("1", at: now + 1), bench.message("2", at: now + 2)])
        #expect(try await messages.claim(limit: 9, leaseSeconds: 120, at: now + 10).count == 1)
        #expect(try await messages.claim(limit: 9, leaseSeconds: 120, at: now + 10).isEmpty)
    }

    @Test(arguments: Engines.withValues)
    func `a message is not due before it was made`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.stores.messages.enqueue(bench.message("one", at: bench.now + 5))
        #expect(try await !bench.stores.messages.hasDue(at: bench.now + 4))
        #expect(try await bench.stores.messages.claim(limit: 9, leaseSeconds: 9, at: bench.now + 4).isEmpty)
        #expect(try await bench.stores.messages.hasDue(at: bench.now + 5))
    }

    @Test(arguments: Engines.withValues)
    func `after the lease another caller decides, and the first one's verdict changes nothing`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (messages, now) = (bench.stores.messages, bench.now)
        try await messages.enqueue(bench.message("one"))
        let first = try #require(try await messages.claim(limit: 1, leaseSeconds: 120, at: now).first)
        #expect(try await messages.claim(limit: 1, leaseSeconds: 120, at: now + 119).isEmpty)
        let second = try #require(try await messages.claim(limit: 1, leaseSeconds: 120, at: now + 120).first)
        #expect(second.attempt == 2 && second.message == first.message)
        let dead = MessageEnd.dead(reason: "first")
        #expect(try await !messages.finish(first, dead, keepsContent: false, at: now + 121))
        #expect(try await !messages.postpone(first, until: now + 500, reason: "first"))
        #expect(try await messages.finish(second, .sent, keepsContent: true, at: now + 121))
        #expect(try await !messages.finish(second, .sent, keepsContent: true, at: now + 122), "once")
        #expect(try await !messages.postpone(second, until: now + 500, reason: "second"))
        #expect(try await messages.deadLetters(limit: 9).isEmpty)
        #expect(try await !messages.hasDue(at: now + 100_000))
        #expect(try await messages.newest(limit: 9) == [first.message], "its content was kept")
    }

    @Test(arguments: Engines.withValues)
    func `a message that was given back is due at its time`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (messages, now) = (bench.stores.messages, bench.now)
        try await messages.enqueue(bench.message("one"))
        let claim = try #require(try await messages.claim(limit: 1, leaseSeconds: 120, at: now).first)
        #expect(try await messages.postpone(claim, until: now + 300, reason: "smtp 450"))
        #expect(try await !messages.hasDue(at: now + 299))
        #expect(try await messages.claim(limit: 1, leaseSeconds: 120, at: now + 300).first?.attempt == 2)
    }

    @Test(arguments: Engines.withValues)
    func `contents go with the end, decoys are not shown, and dead letters are listed newest first`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (messages, now) = (bench.stores.messages, bench.now)
        for name in ["a", "b", "c", "d"] { try await messages.enqueue(bench.message(name)) }
        try await messages.enqueue(bench.message("decoy", isDecoy: true))
        #expect(try await messages.newest(limit: 2) == [bench.message("c"), bench.message("d")], "the newest last")
        let claims = try await messages.claim(limit: 9, leaseSeconds: 120, at: now)
        #expect(claims.count == 5)
        for (claim, second) in zip(claims, Int64(0)...) {
            let isDead = claim.message.id != bench.message("d").id
            let end = claim.message.isDecoy ? MessageEnd.dropped : isDead ? .dead(reason: "why") : .sent
            #expect(try await messages.finish(claim, end, keepsContent: false, at: now + second))
        }
        #expect(try await messages.newest(limit: 9).isEmpty)
        let letters = try await messages.deadLetters(limit: 9)
        #expect(letters.count == 3)
        #expect(letters.map(\.finishedAt) == letters.map(\.finishedAt).sorted(by: >))
        #expect(letters.allSatisfy { $0.reason == "why" && $0.attempts == 1 && $0.kind == .code })
        #expect(try await messages.deadLetters(limit: 2) == Array(letters.prefix(2)))
    }

    @Test(arguments: Engines.withValues)
    func `what waits is told without its content, and only what failed is hastened`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (messages, now) = (bench.stores.messages, bench.now)
        for name in ["a", "b"] { try await messages.enqueue(bench.message(name)) }
        try await messages.enqueue(bench.message("decoy", isDecoy: true))
        let (a, b) = (bench.message("a").id, bench.message("b").id)
        #expect(try await messages.waiting(limit: 9).map(\.id) == [b, a], "the newest first, and no decoy")
        #expect(try await messages.waiting(limit: 1).map(\.id) == [b])
        #expect(try await !messages.retry(a, at: now), "it is due already")
        let claims = try await messages.claim(limit: 9, leaseSeconds: 120, at: now)
        #expect(try await messages.waiting(limit: 9).allSatisfy { $0.state == .sending && $0.attempts == 1 })
        #expect(try await !messages.retry(a, at: now), "it is being sent")
        let claim = try #require(claims.first { $0.message.id == a })
        #expect(try await messages.postpone(claim, until: now + 300, reason: "smtp 450"))
        let failed = try #require(try await messages.waiting(limit: 9).last)
        #expect(failed.state == .failed(reason: "smtp 450") && failed.dueAt == now + 300 && failed.kind == .code)
        #expect(try await !messages.hasDue(at: now + 10))
        #expect(try await messages.retry(a, at: now + 10))
        #expect(try await messages.hasDue(at: now + 10))
        #expect(try await !messages.retry(a, at: now + 10), "once")
        let again = try #require(try await messages.claim(limit: 9, leaseSeconds: 120, at: now + 10).first)
        #expect(again.attempt == 2 && again.message.id == a)
        #expect(try await !messages.retry(a, at: now + 10), "it failed before, and is being sent")
        #expect(try await messages.finish(again, .sent, keepsContent: false, at: now + 11))
        #expect(try await !messages.retry(a, at: now + 11))
        #expect(try await messages.waiting(limit: 9).map(\.id) == [b])
    }
}
