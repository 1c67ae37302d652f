import KeyturnBase
import Model
import Testing

@Suite("Store: refresh counters")
struct RefreshTests {
    @Test(arguments: Engines.withValues)
    func `46: of a hundred renewals one renews, and all get the same successor`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        let results = try await bench.race { [now = bench.now] stores, _ in
            try await stores.grants.renew(
                grant.id, counter: 0, clientID: "web", keyThumbprint: nil, rotates: true, network: nil,
                idleSeconds: 500, at: now)
        }
        #expect(results.count { $0.isRenewed } == 1)
        #expect(results.compactMap(\.counter).count == 100 && Set(results.compactMap(\.counter)) == [1])
        #expect(try await bench.isAlive(grant))
    }

    @Test(arguments: Engines.withValues)
    func `a hundred clients that refresh in turn, each twice, all converge`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        for counter in Int64(0)..<20 {
            let (one, other) = try await bench.both(
                { try await Self.renew(grant, counter, $0, at: bench.now + counter) },
                { try await Self.renew(grant, counter, $0, at: bench.now + counter) })
            #expect(one.counter == counter + 1 && other.counter == counter + 1)
            #expect([one, other].count { $0.isRenewed } == 1)
        }
    }

    private static func renew(_ grant: Grant, _ counter: Int64, _ stores: Stores, at time: UnixTime) async throws
        -> Renewal
    {
        try await stores.grants.renew(
            grant.id, counter: counter, clientID: "web", keyThumbprint: nil, rotates: true, network: nil,
            idleSeconds: 1_000, at: time)
    }

    @Test(arguments: Engines.withValues)
    func `a spent token gets its successor again for a minute, and ends the grant when its successor was used`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        #expect(try await bench.renew(grant, counter: 0).counter == 1)
        #expect(try await bench.renew(grant, counter: 1, at: bench.now + 30).counter == 2)
        let prompt = try await bench.renew(grant, counter: 0, at: bench.now + RefreshRules.overlapSeconds)
        guard case .repeated(let current, .prompt) = prompt else {
            Issue.record("\(prompt)")
            return
        }
        #expect(current.counter == 2)
        let late = try await bench.renew(grant, counter: 0, at: bench.now + RefreshRules.overlapSeconds + 1)
        #expect(late.isReplayed)
        #expect(try await !bench.isAlive(grant))
        #expect(try await bench.renew(grant, counter: 2) == .ended(.refreshReplay), "also the newest token")
    }

    @Test(arguments: Engines.withValues)
    func `a token that is newer than its row raises the row, once, for a hundred that present it`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        #expect(try await bench.renew(grant, counter: 0).counter == 1)
        let results = try await bench.race { [now = bench.now] stores, _ in
            try await Self.renew(grant, 5, stores, at: now + 90)
        }
        #expect(results.count { if case .ahead = $0 { true } else { false } } == 1)
        #expect(results.count { if case .repeated(_, .prompt) = $0 { true } else { false } } == 99)
        #expect(Set(results.compactMap(\.counter)) == [6])
        #expect(try await bench.renew(grant, counter: 3, at: bench.now + 150).counter == 6, "one of the lost ones")
        #expect(try await bench.renew(grant, counter: 6, at: bench.now + 151).counter == 7)
        #expect(try await bench.renew(grant, counter: 9, client: "other") == .unknown)
        #expect(try await bench.renew(grant, counter: 4, at: bench.now + 151).isReplayed, "later than a minute")
        #expect(try await bench.renew(grant, counter: 9) == .ended(.refreshReplay), "a grant that is over stays so")
    }

    @Test(arguments: Engines.withValues)
    func `the predecessor is forgiven late, never twice in a row, and its network is told`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.redeemedGrant(of: andy)
        let (now, later) = (bench.now, bench.now + 500)
        #expect(try await bench.renew(grant, counter: 0, network: "192.0.2.0/24", at: now).counter == 1)
        let late = try await bench.renew(grant, counter: 0, network: "198.51.100.0/24", at: later)
        guard case .repeated(let same, .lateElsewhere) = late else {
            Issue.record("\(late)")
            return
        }
        #expect(same.counter == 1)
        let signs = try await bench.stores.grants.signsOfCopies(of: andy.user.id, since: now, limit: 10)
        #expect(
            signs == [
                CopiedTokenSign(grantID: grant.id, clientID: "web", kind: .usedElsewhere(count: 1), at: later)
            ])
        #expect(try await bench.renew(grant, counter: 1, network: "192.0.2.0/24", at: later).counter == 2)
        let second = try await bench.renew(grant, counter: 1, at: later + RefreshRules.overlapSeconds + 1)
        #expect(second.isReplayed, "twice in a row is a thief")
        let after = try await bench.stores.grants.signsOfCopies(of: andy.user.id, since: now, limit: 10)
        #expect(after.map(\.kind) == [.ended])
    }

    @Test(arguments: Engines.withValues)
    func `a bound grant is renewed with its key alone, and keeps its counter`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user(), key: "key")
        for key in ["other", nil] {
            guard case .wrongKey = try await bench.renew(grant, counter: 0, key: key) else {
                Issue.record("a copy is worth nothing without the key")
                return
            }
        }
        for seconds in [Int64(0), 500] {
            let renewal = try await bench.renew(grant, counter: 0, key: "key", at: bench.now + seconds)
            #expect(renewal.isRenewed && renewal.counter == 0)
        }
        #expect(try await bench.isAlive(grant, at: bench.now + 1_499), "its use moved the end of its idle time")
    }

    @Test(arguments: Engines.withValues)
    func `a token that does not rotate stays the current one`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let grant = try await bench.redeemedGrant(of: try await bench.user())
        for _ in 0..<3 {
            let renewal = try await bench.renew(grant, counter: 0, rotates: false)
            #expect(renewal.isRenewed && renewal.counter == 0)
        }
    }

    @Test(arguments: Engines.withValues)
    func `another client, an unknown grant and one that was never redeemed are unknown, and nothing changes`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let waiting = try await bench.addGrant(of: andy)
        #expect(try await bench.renew(waiting, counter: 0) == .unknown)
        let grant = try await bench.openGrant(of: andy)
        #expect(try await bench.renew(grant, counter: 0, client: "other") == .unknown)
        #expect(try await bench.renew(bench.grant(of: andy), counter: 0) == .unknown)
        #expect(try await bench.renew(grant, counter: 0).isRenewed)
    }

    @Test(arguments: Engines.withValues)
    func `a grant is over at the second of its idle end, and at that of its absolute end`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let grant = try await bench.openGrant(of: try await bench.user())
        #expect(try await bench.renew(grant, counter: 0, at: bench.now + 1_000) == .expired)
        #expect(try await bench.renew(grant, counter: 0, at: bench.now + 999).isRenewed)
        let presented = try await bench.stores.grants.presented(grant.id, at: bench.now + 999)
        #expect(presented?.row.counter == 1)
        #expect(try await bench.stores.grants.presented(grant.id, at: bench.now + 1_999) == nil)
    }

    @Test(arguments: Engines.withValues)
    func `a renewal and a revocation at once: no grant is alive afterwards`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        for round in Int64(0)..<20 {
            let grant = try await bench.openGrant(of: andy)
            let (renewal, ended) = try await bench.both(
                { try await Self.renew(grant, 0, $0, at: bench.now) },
                {
                    try await $0.grants.endEverything(of: andy.user.id, reason: .logout, at: bench.now)
                })
            #expect(ended == 1, "round \(round)")
            #expect(renewal.isRenewed || renewal == .ended(.logout), "round \(round)")
            #expect(try await !bench.isAlive(grant), "round \(round)")
        }
    }
}
