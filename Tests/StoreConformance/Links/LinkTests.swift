import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: links in messages")
struct LinkTests {
    /// A user with links on their way.
    private struct Links: Sendable {
        let bench: Bench
        let andy: Account
        let facts: VerificationFacts

        init(_ engine: any Engine) async throws {
            bench = try await Bench(engine)
            andy = try await bench.user()
            facts = try bench.facts(of: andy)
        }

        var store: any LinkStore { bench.stores.links }
        var now: UnixTime { bench.now }

        func digest(_ name: String) -> SecretDigest { bench.digest(name) }

        /// Links of one message, of which `right` is the one to follow.
        func add(_ names: [String] = ["right"], reference: String? = nil) async throws {
            try await bench.stores.links.add(
                names.map { PendingLink(digest: digest($0), facts: facts, isRight: $0 == "right") },
                reference: reference.map(digest), expiresAt: now + 600, at: now)
        }
    }

    @Test(arguments: Engines.withValues)
    func `86: of a hundred parallel uses of one link one succeeds`(_ engine: any Engine) async throws {
        let links = try await Links(engine)
        try await links.add()
        let (digest, now) = (links.digest("right"), links.now)
        let verdicts = try await links.bench.race { stores, _ in try await stores.links.redeem(digest, at: now) }
        #expect(verdicts.count { $0 == .right(links.facts, reference: nil) } == 1)
        #expect(verdicts.count { $0 == .unknown } == 99)
    }

    @Test(arguments: Engines.withValues)
    func `86: of a hundred polls for one approved link one gets the session`(_ engine: any Engine) async throws {
        let links = try await Links(engine)
        let (reference, now) = (links.digest("reference"), links.now)
        try await links.add(reference: "reference")
        #expect(try await links.store.collect(reference, at: now) == .waiting)
        #expect(try await links.store.isWaiting(reference, at: now))
        #expect(try await links.store.approve(reference, user: links.andy.user.id, isFirst: true, at: now))
        #expect(try await !links.store.approve(reference, user: links.andy.user.id, isFirst: true, at: now))
        #expect(try await !links.store.isWaiting(reference, at: now))
        let verdicts = try await links.bench.race { stores, _ in try await stores.links.collect(reference, at: now) }
        let approved = PendingVerdict.approved(links.facts, userID: links.andy.user.id, isFirst: true)
        #expect(verdicts.count { $0 == approved } == 1)
        #expect(verdicts.count { $0 == .unknown } == 99)
    }

    @Test(arguments: Engines.withValues)
    func `86: three links followed at once: one is right, or none`(_ engine: any Engine) async throws {
        for _ in 0..<10 {
            let links = try await Links(engine)
            try await links.add(["right", "wrong", "other"], reference: "reference")
            let (now, names) = (links.now, ["right", "wrong", "other"].map(links.digest))
            let verdicts = try await links.bench.race(30) { stores, number in
                try await stores.links.redeem(names[number % 3], at: now)
            }
            let isRight = verdicts.contains(.right(links.facts, reference: links.digest("reference")))
            #expect(verdicts.count { $0 != .unknown } == 1, "the first one ends the others")
            let waits = try await links.store.isWaiting(links.digest("reference"), at: now)
            #expect(waits == isRight)
        }
    }

    @Test(arguments: Engines.withValues)
    func `a wrong link of three cancels the others and the sign-in that waits`(_ engine: any Engine) async throws {
        let links = try await Links(engine)
        let (reference, now) = (links.digest("reference"), links.now)
        try await links.add(["right", "wrong", "other"], reference: "reference")
        #expect(try await links.store.redeem(links.digest("wrong"), at: now) == .cancelled)
        #expect(try await links.store.redeem(links.digest("right"), at: now) == .unknown)
        #expect(try await links.store.collect(reference, at: now) == .unknown)
        #expect(try await !links.store.isWaiting(reference, at: now))
        #expect(try await !links.store.approve(reference, user: links.andy.user.id, isFirst: false, at: now))
    }

    @Test(arguments: Engines.withValues)
    func `a look spends nothing and tells what the link is for`(_ engine: any Engine) async throws {
        let links = try await Links(engine)
        let now = links.now
        try await links.add(reference: "reference")
        let description = LinkDescription(facts: links.facts, isEnchanted: true, expiresAt: now + 600)
        for _ in 0..<3 {
            #expect(try await links.store.describe(links.digest("right"), at: now + 599) == description)
            #expect(try await links.store.end(of: links.digest("right"), at: now + 599) == nil)
        }
        #expect(try await links.store.describe(links.digest("right"), at: now + 600) == nil)
        let verdict = try await links.store.redeem(links.digest("right"), at: now + 599)
        #expect(verdict == .right(links.facts, reference: links.digest("reference")))
    }

    @Test(arguments: Engines.withValues)
    func `it is remembered how a link ended, and nothing about its user`(_ engine: any Engine) async throws {
        let links = try await Links(engine)
        let (store, now) = (links.store, links.now)
        try await links.add(["right", "wrong", "other"], reference: "reference")
        try await links.add(["late"])
        #expect(try await store.end(of: links.digest("right"), at: now) == nil, "still good")
        guard case .right = try await store.redeem(links.digest("right"), at: now) else {
            throw StoreError(.missing)
        }
        for name in ["right", "wrong", "other"] {
            #expect(try await store.end(of: links.digest(name), at: now) == .spent)
            #expect(try await store.describe(links.digest(name), at: now) == nil)
            #expect(try await store.redeem(links.digest(name), at: now) == .unknown)
        }
        #expect(try await store.end(of: links.digest("late"), at: now + 600) == .expired)
        #expect(try await store.redeem(links.digest("late"), at: now + 600) == .expired)
        #expect(try await store.end(of: links.digest("late"), at: now + 600) == .expired, "asking changes nothing")
        #expect(try await store.end(of: links.digest("never"), at: now) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `what waits for a link is over at the second`(_ engine: any Engine) async throws {
        let links = try await Links(engine)
        let (store, now, reference) = (links.store, links.now, links.digest("reference"))
        try await links.add(reference: "reference")
        #expect(try await store.collect(reference, at: now + 599) == .waiting)
        #expect(try await store.collect(reference, at: now + 600) == .expired)
        #expect(try await !store.isWaiting(reference, at: now + 600))
        #expect(try await !store.approve(reference, user: links.andy.user.id, isFirst: false, at: now + 600))
        #expect(try await store.approve(reference, user: links.andy.user.id, isFirst: false, at: now + 599))
        #expect(try await store.collect(reference, at: now + 600) == .expired, "approved, and not collected in time")
        #expect(try await store.collect(links.digest("never"), at: now) == .unknown)
    }

    @Test(arguments: Engines.withValues)
    func `every link of one user is removed, followed or not, and no other`(_ engine: any Engine) async throws {
        let links = try await Links(engine)
        let (store, now) = (links.store, links.now)
        try await links.add(reference: "reference")
        let facts = try links.bench.facts(of: try await links.bench.user("bea@example.com"))
        try await store.add(
            [PendingLink(digest: links.digest("hers"), facts: facts)], reference: nil, expiresAt: now + 600, at: now)
        _ = try await store.redeem(links.digest("right"), at: now)
        #expect(try await store.approve(links.digest("reference"), user: links.andy.user.id, isFirst: false, at: now))
        try await store.removeAll(of: links.andy.user.id)
        #expect(try await store.collect(links.digest("reference"), at: now) == .unknown)
        #expect(try await store.redeem(links.digest("hers"), at: now) == .right(facts, reference: nil))
    }
}
