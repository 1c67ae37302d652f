import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("Store: what is over is removed")
struct MaintenanceTests {
    @Test(arguments: Engines.all)
    func `codes, links, authenticators and rate limits go when they are over, and not before`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.user()
        let facts = try bench.facts(of: andy)
        let code = PendingCode(slot: "slot", digest: bench.digest("111111"), facts: facts, expiresAt: now + 600)
        try await stores.codes.add(code, liveMax: 3, at: now)
        let wrong = CodeTry(
            slot: "slot", digests: [bench.digest("000000")], counts: [TryCount(slot: "slot", party: "p", max: 5)])
        #expect(try await stores.codes.redeem(wrong, windowSeconds: 600, at: now) == .wrong)
        #expect(try await stores.rateLimits.spend([bench.charge("budget", max: 1)], at: now) == nil)
        try await stores.links.add(
            [PendingLink(digest: bench.digest("token"), facts: facts)], reference: bench.digest("reference"),
            expiresAt: now + 600, at: now)
        _ = try await stores.authenticators.add(
            bench.authenticator("one"), of: .user(andy.user.id), replaces: false, pendingMax: 3, expiresAt: now + 600,
            at: now)
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: now + 59) == 0)
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: now + 60) == 1, "the rate limit")
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: now + 1_200) == 4)
        let forgotten = now + 600 + Limits.linkMemorySeconds
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: forgotten - 1) == 0)
        #expect(try await stores.links.end(of: bench.digest("token"), at: forgotten - 1) == .expired)
        #expect(try await stores.maintenance.removeExpired(limit: 100, at: forgotten) == 1, "the link")
        #expect(try await stores.links.end(of: bench.digest("token"), at: forgotten) == nil)
    }

    @Test(arguments: Engines.all)
    func `what waits in the queues is counted, up to a bound`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        #expect(try await stores.maintenance.queueLengths(upTo: 9) == QueueLengths())
        for number in 0..<4 { try await stores.messages.enqueue(bench.message("\(number)")) }
        #expect(try await stores.maintenance.queueLengths(upTo: 9) == QueueLengths(messages: 4))
        #expect(try await stores.maintenance.queueLengths(upTo: 3) == QueueLengths(messages: 3))
        let claim = try #require(try await stores.messages.claim(limit: 1, leaseSeconds: 60, at: now + 1).first)
        #expect(try await stores.messages.finish(claim, .sent, keepsContent: false, at: now + 1))
        #expect(try await stores.maintenance.queueLengths(upTo: 9) == QueueLengths(messages: 3))
    }

    @Test(arguments: Engines.all)
    func `sessions, revoked tokens, spent marks and devices go at their second`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.user()
        try await bench.openSession(of: andy)
        try await stores.revokedTokens.revoke(tokenID: "token", expiresAt: now + 100)
        #expect(try await stores.spent.spend(bench.mark("one")))
        #expect(try await stores.devices.add(bench.device(), userCode: bench.digest("user code")))
        #expect(try await stores.maintenance.removeExpired(limit: 9, at: now + 99) == 0)
        #expect(try await stores.maintenance.removeExpired(limit: 9, at: now + 100) == 1)
        #expect(try await !stores.revokedTokens.isRevoked(anyOf: ["token"]))
        #expect(try await stores.maintenance.removeExpired(limit: 9, at: now + 299) == 0)
        #expect(try await stores.maintenance.removeExpired(limit: 9, at: now + 300) == 1)
        #expect(try await stores.spent.spend(bench.mark("one")), "its time is over: nothing can be spent with it")
        let forgotten = now + 900 + Limits.deviceMemorySeconds
        _ = try await stores.maintenance.removeExpired(limit: 9, at: forgotten - 1)
        #expect(try await stores.devices.authorization(bench.device().id) != nil)
        _ = try await stores.maintenance.removeExpired(limit: 9, at: forgotten)
        #expect(try await stores.devices.authorization(bench.device().id) == nil)
        #expect(try await stores.maintenance.removeExpired(limit: 9, at: now + 9_999) == 0)
        #expect(try await stores.maintenance.removeExpired(limit: 9, at: now + 10_000) == 1, "the session")
    }

    @Test(arguments: Engines.all)
    func `grants that are over are told why for a day, then go, and live ones stay`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now, day) = (bench.stores, bench.now, Int64(86_400))
        let andy = try await bench.user()
        let ended = try await bench.openGrant(of: andy)
        _ = try await stores.grants.end(ended.id, of: andy.user.id, reason: .logout, at: now)
        let long = Grant(
            id: .make(.live), clientID: "web", userID: andy.user.id, sessionID: nil, scope: .none, resources: [],
            authentication: .password(at: now), nonce: nil, claimsRequest: nil, createdAt: now,
            idleExpiresAt: now + 3 * day, absoluteExpiresAt: now + 9 * day)
        #expect(try await stores.grants.open(long, epoch: 0, endingOthers: false, at: now))
        #expect(try await removeAll(bench, at: now + day - 1) == 0)
        #expect(try await bench.renew(ended, counter: 0) == .ended(.logout))
        #expect(try await removeAll(bench, at: now + day) == 1)
        #expect(try await bench.renew(ended, counter: 0) == .unknown)
        #expect(try await bench.isAlive(long, at: now + day))
    }

    /// Runs the clean-up until it has seen everything.
    private func removeAll(_ bench: Bench, at time: UnixTime) async throws -> Int {
        var removed = 0
        for _ in 0..<3 { removed += try await bench.stores.maintenance.removeExpired(limit: 100, at: time) }
        return removed
    }

    @Test(arguments: Engines.all)
    func `so many go at a time, and two nodes that clean at once remove each row once`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        for number in 0..<50 { _ = try await bench.stores.spent.spend(bench.mark("\(number)")) }
        #expect(try await bench.stores.maintenance.removeExpired(limit: 10, at: bench.now + 300) == 10)
        let removed = try await bench.race(10) { stores, _ in
            try await stores.maintenance.removeExpired(limit: 10, at: bench.now + 300)
        }
        #expect(removed.reduce(0, +) == 40)
    }

    @Test(arguments: Engines.all)
    func `the walk through the grants sees each of them, goes on at another server, and begins again`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let nodes = bench.database.nodes
        let andy = try await bench.user()
        let first = try await bench.openGrant(of: andy).id
        for number in 0..<59 {
            let grant = try await bench.openGrant(of: andy)
            if number % 2 == 0 {
                _ = try await bench.stores.grants.end(grant.id, of: andy.user.id, reason: .logout, at: bench.now)
            }
        }
        let later = bench.now + 86_400
        var (removed, steps) = (0, 0)
        // An engine looks at a page at least, whatever it is asked for.
        while let count = try await nodes[steps % nodes.count].stores.maintenance.removeEndedGrants(rows: 7, at: later)
        {
            removed += count
            steps += 1
        }
        #expect(removed == 30 && steps > 1)
        // From the beginning again. How many steps that takes is the engine's: PostgreSQL looks at the pages of rows that
        // are gone until it has vacuumed them.
        #expect(try await bench.stores.grants.end(first, of: andy.user.id, reason: .logout, at: bench.now))
        var once = 0
        while let count = try await bench.stores.maintenance.removeEndedGrants(rows: 1_000, at: later) { once += count }
        #expect(once == 1)
    }

    @Test(arguments: Engines.all)
    func `requests, failed attempts and messages that are over go, known networks stay`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let request = PushedRequest(
            digest: bench.digest("request"), clientID: "web", parameters: "", expiresAt: now + 300)
        #expect(try await stores.pushedRequests.add(request, max: nil, at: now))
        _ = try await stores.attempts.count(["stranger", "home"], windowSeconds: 100, at: now)
        try await stores.attempts.succeed([], shared: "network", known: "home", at: now)
        try await stores.messages.enqueue(bench.message("one"))
        let claim = try #require(try await stores.messages.claim(limit: 1, leaseSeconds: 120, at: now).first)
        #expect(try await stores.messages.finish(claim, .dead(reason: "why"), keepsContent: true, at: now))
        _ = try await stores.maintenance.removeExpired(limit: 9, at: now + 300 + Limits.transactionSeconds - 1)
        #expect(try await stores.pushedRequests.find(request.digest) != nil)
        _ = try await stores.maintenance.removeExpired(limit: 9, at: now + 300 + Limits.transactionSeconds)
        #expect(try await stores.pushedRequests.find(request.digest) == nil)
        #expect(try await stores.messages.deadLetters(limit: 9).count == 1)
        _ = try await stores.maintenance.removeExpired(limit: 9, at: now + Limits.messageKeptSeconds)
        #expect(try await stores.messages.deadLetters(limit: 9).isEmpty)
        #expect(try await stores.attempts.isKnown("home"))
    }

    @Test(arguments: Engines.all)
    func `what servers keep in memory has a revision, which nothing else touches`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (ours, theirs, now) = (bench.stores, bench.database.nodes.last?.stores ?? bench.stores, bench.now)
        try await ours.maintenance.ping()
        let clock = try await ours.maintenance.clock()
        if let clock {
            #expect(abs(clock.seconds(since: Ambient.live.now())) < 60, "the machine is this one after all")
        }
        let before = try await ours.maintenance.revision()
        try await ours.users.create(try bench.account("own@example.com"), authenticator: nil)
        try await theirs.users.create(try bench.account("other@example.com"), authenticator: nil)
        #expect(try await ours.maintenance.revision() == before, "no server keeps users in memory")
        var last = before
        func expectGrowth(_ change: () async throws -> Void) async throws {
            try await change()
            let revision = try await ours.maintenance.revision()
            #expect(revision > last)
            last = revision
        }
        try await expectGrowth { try await theirs.clients.put(bench.client("c"), at: now) }
        try await expectGrowth { _ = try await theirs.clients.remove("c", at: now) }
        try await expectGrowth { try await theirs.tenants.create(Tenant(id: "t", name: "T", createdAt: now)) }
        try await expectGrowth { try await theirs.tenants.update(Tenant(id: "t", name: "U", createdAt: now)) }
        try await expectGrowth { try await theirs.roles.create(Permission(name: "p")) }
        try await expectGrowth {
            try await theirs.roles.create(
                Role(id: "r", tenantID: nil, name: "r", permissions: [], createdAt: now))
        }
        try await expectGrowth { _ = try await theirs.roles.deleteRole("r") }
        try await expectGrowth {
            _ = try await theirs.keys.add(
                StoredKey(
                    keyID: "k", algorithm: "ES256", sealedPrivateKey: [1], createdAt: now, activatesAt: now,
                    retiresAt: now + 1, removedAt: now + 2))
        }
        #expect(try await ours.users.accounts(after: nil, limit: 10).count == 2)
    }
}
