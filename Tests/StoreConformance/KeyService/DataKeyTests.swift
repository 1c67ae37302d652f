import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: data keys and the attempts at them")
struct DataKeyTests {
    private func add(_ key: StoredDataKey, name: String? = nil, _ bench: Bench) async throws -> KeyAddition {
        try await bench.stores.dataKeys.add(key, name: name.map(bench.digest), at: key.createdAt)
    }

    @Test(arguments: Engines.all)
    func `what is stored comes back as it was, in its realm alone`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let key = bench.dataKey("one", realm: "bank", of: try await bench.user())
        #expect(try await add(key, bench) == .added)
        #expect(try await bench.stores.dataKeys.key("one", realm: "bank") == key)
        #expect(try await bench.stores.dataKeys.key("one", realm: "") == nil)
        #expect(try await bench.stores.dataKeys.key("other", realm: "bank") == nil)
        let begun = try await bench.stores.dataKeys.begin("one", realm: "", charges: [], at: bench.now)
        #expect(begun == .unknown)
    }

    @Test(arguments: Engines.all)
    func `of a hundred requests of one name one makes a key, for a day`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let additions = try await bench.race { stores, number in
            try await stores.dataKeys.add(bench.dataKey("\(number)"), name: bench.digest("name"), at: bench.now)
        }
        #expect(additions.count { $0 == .added } == 1)
        let repeated = additions.compactMap { if case .repeated(let id) = $0 { id } else { nil } }
        #expect(repeated.count == 99 && Set(repeated).count == 1)
        let (dataKeys, end) = (bench.stores.dataKeys, bench.now + Limits.idempotencySeconds)
        #expect(try await dataKeys.key(named: bench.digest("name"), at: end - 1) == repeated.first)
        #expect(try await dataKeys.key(named: bench.digest("name"), at: end) == nil)
        #expect(try await dataKeys.key(named: bench.digest("other"), at: bench.now) == nil)
        #expect(try await add(bench.dataKey("later", at: end), name: "name", bench) == .added)
    }

    @Test(arguments: Engines.all)
    func `of a hundred attempts at once one begins, the others are told that it is busy`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        #expect(try await add(bench.dataKey(), bench) == .added)
        let charge = bench.charge("network")
        let starts = try await bench.race { [now = bench.now] stores, _ in
            try await stores.dataKeys.begin("key", realm: "", charges: [charge], at: now)
        }
        #expect(starts.count { if case .begun = $0 { true } else { false } } == 1)
        #expect(starts.count { $0 == .busy } == 99)
        #expect(try await bench.stores.dataKeys.key("key", realm: "")?.failures == 1)
        #expect(try await bench.stores.dataKeys.key("key", realm: "")?.lockedAt == nil)
        let look = RateLimitCharge("network", max: 2, windowSeconds: 60, cost: 0)
        #expect(try await bench.stores.rateLimits.spend([look], at: bench.now) == nil, "what was busy was given back")
    }

    @Test(arguments: Engines.all)
    func `attempts and right secrets at once, many times: an honest key is never locked`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        #expect(try await add(bench.dataKey(), bench) == .added)
        for round in 0..<15 {
            let opened = try await bench.race(8) { [now = bench.now] stores, _ -> Bool in
                // As the service does: a caller that finds the key busy asks again.
                for _ in 0..<200 {
                    switch try await stores.dataKeys.begin("key", realm: "", charges: [], at: now) {
                    case .begun(let attempt):
                        return try await stores.dataKeys.succeed(
                            attempt, .used(nil), from: nil, refunding: [], at: now)
                    case .busy: await Task.yield()
                    default: return false
                    }
                }
                return true
            }
            #expect(opened.allSatisfy { $0 }, "round \(round)")
            let key = try #require(try await bench.stores.dataKeys.key("key", realm: ""))
            #expect(key.lockedAt == nil && key.failures == 0, "round \(round)")
        }
    }

    @Test(arguments: Engines.all)
    func `three wrong secrets in a row lock a key, also for the right one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let dataKeys = bench.stores.dataKeys
        #expect(try await add(bench.dataKey(), bench) == .added)
        for left in [Int64(2), 1] {
            #expect(try await dataKeys.fail(try await bench.begin(), at: bench.now) == .left(left))
        }
        let last = try await bench.begin()
        #expect(try await dataKeys.fail(last, at: bench.now) == .locked(isNew: true))
        #expect(try await dataKeys.fail(last, at: bench.now) == .locked(isNew: false))
        #expect(try await dataKeys.begin("key", realm: "", charges: [], at: bench.now) == .closed(isNew: false))
        #expect(try await !dataKeys.succeed(last, .used(nil), from: nil, refunding: [], at: bench.now))
        #expect(try await !dataKeys.use("key", realm: "", .used(nil), from: nil, at: bench.now))
        #expect(try await dataKeys.key("key", realm: "")?.lockedAt == bench.now)
    }

    @Test(arguments: Engines.all)
    func `81: of a hundred guessers at once three are compared, and the key is locked`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        #expect(try await add(bench.dataKey(), bench) == .added)
        let compared = try await bench.race { [now = bench.now] stores, _ -> Int in
            for _ in 0..<2_000 {
                switch try await stores.dataKeys.begin("key", realm: "", charges: [], at: now) {
                case .begun(let attempt):
                    _ = try await stores.dataKeys.fail(attempt, at: now)
                    return 1
                case .busy: await Task.yield()
                default: return 0
                }
            }
            return 0
        }
        #expect(compared.reduce(0, +) == Int(Limits.keyAttemptsMax))
        #expect(try await bench.stores.dataKeys.key("key", realm: "")?.lockedAt != nil)
    }

    @Test(arguments: Engines.all)
    func `a right secret counts those in a row back to nothing, and its wraps take the place of the old ones`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (dataKeys, now) = (bench.stores.dataKeys, bench.now)
        #expect(try await add(bench.dataKey(), bench) == .added)
        _ = try await bench.stores.rateLimits.spend([bench.charge("network", max: 1)], at: now)
        _ = try await dataKeys.fail(try await bench.begin(), at: now)
        let right = try await bench.begin()
        #expect(right.key.failures == 2, "counted before it is compared")
        let isDone = try await dataKeys.succeed(
            right, .used(bench.wraps(2)), from: "192.0.2.0/24", refunding: ["network"], at: now + 5)
        #expect(isDone)
        let key = try #require(try await dataKeys.key("key", realm: ""))
        #expect(key.failures == 0 && key.usedAt == now + 5 && key.usedFrom == "192.0.2.0/24")
        #expect(key.wraps.bySecret == [2] && key.wraps.longSecret == [9])
        #expect(
            try await bench.stores.rateLimits.spend([bench.charge("network", max: 1)], at: now) == nil, "given back")
        #expect(try await !dataKeys.succeed(right, .removed, from: nil, refunding: [], at: now), "decided already")
        #expect(try await dataKeys.succeed(try await bench.begin(), .removed, from: nil, refunding: [], at: now))
        #expect(try await dataKeys.key("key", realm: "") == nil)
        #expect(try await dataKeys.fail(right, at: now) == .gone)
    }

    @Test(arguments: Engines.all)
    func `an attempt without an end is over after a while, and stays counted`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (dataKeys, now) = (bench.stores.dataKeys, bench.now)
        #expect(try await add(bench.dataKey(), bench) == .added)
        let lost = try await bench.begin()
        #expect(
            try await dataKeys.begin("key", realm: "", charges: [], at: now + Limits.keyAttemptSeconds - 1) == .busy)
        let second = try await bench.begin(at: now + Limits.keyAttemptSeconds)
        #expect(second.number == lost.number + 1 && second.key.failures == 2)
        #expect(try await !dataKeys.succeed(lost, .used(nil), from: nil, refunding: [], at: now + 31))
        #expect(try await dataKeys.key("key", realm: "")?.failures == 1, "it alone is counted back")
        for number in Int64(2)...3 { _ = try await bench.begin(at: now + number * Limits.keyAttemptSeconds) }
        let found = try await dataKeys.begin("key", realm: "", charges: [], at: now + 4 * Limits.keyAttemptSeconds)
        #expect(found == .closed(isNew: true), "three that were never decided")
        let again = try await dataKeys.begin("key", realm: "", charges: [], at: now + 5 * Limits.keyAttemptSeconds)
        #expect(again == .closed(isNew: false))
    }

    @Test(arguments: Engines.all)
    func `fifty wrong secrets in a month lock a key, whatever was right in between`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (dataKeys, now) = (bench.stores.dataKeys, bench.now)
        for (id, pause, isLocked) in [("quick", Int64(60), true), ("slow", Limits.keyGuessesSeconds / 40, false)] {
            #expect(try await add(bench.dataKey(id), bench) == .added)
            var last = KeyFailure.gone
            for number in 0..<Limits.keyGuessesMax {
                let time = now + number * pause
                last = try await dataKeys.fail(try await bench.begin(id, at: time), at: time)
                guard case .left = last else { break }
                _ = try await dataKeys.succeed(
                    try await bench.begin(id, at: time), .used(nil), from: nil, refunding: [], at: time)
            }
            #expect((last == .locked(isNew: true)) == isLocked)
        }
    }

    @Test(arguments: Engines.all)
    func `an attempt that compared nothing is given back, unless another one began`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (dataKeys, now) = (bench.stores.dataKeys, bench.now)
        #expect(try await add(bench.dataKey(), bench) == .added)
        let charge = bench.charge("network", max: 1)
        guard case .begun(let first) = try await dataKeys.begin("key", realm: "", charges: [charge], at: now) else {
            throw StoreError(.missing)
        }
        try await dataKeys.withdraw(first, refunding: ["network"], at: now)
        try await dataKeys.withdraw(first, refunding: ["network"], at: now)
        #expect(try await dataKeys.key("key", realm: "")?.failures == 0)
        let second = try await dataKeys.begin("key", realm: "", charges: [charge], at: now)
        guard case .begun = second else {
            Issue.record("\(second)")
            return
        }
        let later = now + Limits.keyAttemptSeconds
        let throttled = try await dataKeys.begin("key", realm: "", charges: [charge], at: later)
        #expect(throttled == .throttled(until: now + 60))
        #expect(try await dataKeys.key("key", realm: "")?.failures == 1, "nothing was counted on the key")
    }

    @Test(arguments: Engines.all)
    func `the long secret leaves the count and the wraps as they are`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (dataKeys, now) = (bench.stores.dataKeys, bench.now)
        #expect(try await add(bench.dataKey(), bench) == .added)
        _ = try await dataKeys.fail(try await bench.begin(), at: now)
        #expect(try await dataKeys.use("key", realm: "", .used(bench.wraps(2)), from: "192.0.2.0/24", at: now + 5))
        let key = try #require(try await dataKeys.key("key", realm: ""))
        #expect(key.failures == 1 && key.wraps == bench.wraps(1) && key.usedAt == now + 5)
        #expect(try await !dataKeys.use("key", realm: "other", .removed, from: nil, at: now))
        #expect(try await dataKeys.use("key", realm: "", .removed, from: nil, at: now))
        #expect(try await dataKeys.key("key", realm: "") == nil)
        #expect(try await !dataKeys.use("key", realm: "", .used(nil), from: nil, at: now))
    }

    @Test(arguments: Engines.all)
    func `a key rests while its owner may not sign in`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (dataKeys, andy, now) = (bench.stores.dataKeys, try await bench.user(), bench.now)
        #expect(try await add(bench.dataKey(of: andy), bench) == .added)
        let attempt = try await bench.begin()
        _ = try await bench.stores.users.change(andy.user.id, at: now) { $0.user.status = .disabled }
        #expect(try await !dataKeys.succeed(attempt, .used(nil), from: nil, refunding: [], at: now))
        #expect(try await !dataKeys.use("key", realm: "", .used(nil), from: nil, at: now))
        #expect(try await dataKeys.begin("key", realm: "", charges: [], at: now + 30) == .closed(isNew: false))
        _ = try await bench.stores.users.change(andy.user.id, at: now) { $0.user.status = .active }
        _ = try await bench.begin(at: now + 30)
    }

    @Test(arguments: Engines.all)
    func `an owner's keys are listed newest first, and the one not used for longest gives way`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (dataKeys, now) = (bench.stores.dataKeys, bench.now)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        #expect(try await add(bench.dataKey("hers", of: bea), bench) == .added)
        for number in 0..<Limits.keysPerOwnerMax {
            #expect(try await add(bench.dataKey("\(number)", of: andy, at: now + Int64(number)), bench) == .added)
        }
        #expect(try await dataKeys.use("0", realm: "", .used(nil), from: nil, at: now + 1_000))
        #expect(try await add(bench.dataKey("new", of: andy, at: now + 500), bench) == .added)
        let listed = try await dataKeys.keys(of: andy.user.id, realm: "", clientID: "web", limit: 99)
        #expect(listed.count == Limits.keysPerOwnerMax && listed.first?.id == "new" && listed.last?.id == "0")
        #expect(!listed.map(\.id).contains("1"))
        let two = try await dataKeys.keys(of: andy.user.id, realm: "", clientID: nil, limit: 2)
        #expect(two == Array(listed.prefix(2)))
        #expect(try await dataKeys.keys(of: andy.user.id, realm: "", clientID: "other", limit: 9).isEmpty)
        #expect(try await dataKeys.keys(of: andy.user.id, realm: "bank", clientID: nil, limit: 9).isEmpty)
        for (user, realm, client) in [(bea, "", nil), (andy, "bank", nil), (andy, "", "other")] {
            #expect(try await !dataKeys.remove("new", of: user.user.id, realm: realm, clientID: client))
        }
        #expect(try await dataKeys.remove("new", of: andy.user.id, realm: "", clientID: "web"))
        #expect(try await !dataKeys.remove("new", of: andy.user.id, realm: "", clientID: nil))
    }

    @Test(arguments: Engines.all)
    func `of a hundred keys made at once the owner keeps as many as allowed`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        _ = try await bench.race { stores, number in
            try await stores.dataKeys.add(bench.dataKey("\(number)", of: andy), name: nil, at: bench.now)
        }
        let kept = try await bench.stores.dataKeys.keys(of: andy.user.id, realm: "", clientID: nil, limit: 200)
        #expect(kept.count == Limits.keysPerOwnerMax)
    }

    @Test(arguments: Engines.all)
    func `keys that were not used for long are removed, so many at a time`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (dataKeys, now) = (bench.stores.dataKeys, bench.now)
        for id in ["a", "b", "used long ago", "used", "new"] {
            #expect(try await add(bench.dataKey(id, at: id == "new" ? now + 50 : now), bench) == .added)
        }
        #expect(try await dataKeys.use("used long ago", realm: "", .used(nil), from: nil, at: now + 10))
        #expect(try await dataKeys.use("used", realm: "", .used(nil), from: nil, at: now + 60))
        #expect(try await dataKeys.removeUnused(since: now + 9, neverSince: now - 1, limit: 9) == 0)
        #expect(try await dataKeys.removeUnused(since: now + 10, neverSince: now, limit: 2) == 2)
        #expect(try await dataKeys.removeUnused(since: now + 10, neverSince: now, limit: 2) == 1)
        for (id, isThere) in [("a", false), ("b", false), ("used long ago", false), ("used", true), ("new", true)] {
            #expect((try await dataKeys.key(id, realm: "") != nil) == isThere)
        }
    }
}
