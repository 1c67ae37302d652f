import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Testing

/// Each write is too large for what is left. It fails as a whole, is told as `full`, and succeeds when there is room.
@Suite("Store: what a full disk leaves")
struct FullDiskTests {
    /// Random: an engine may compress it.
    private static let largeBytes = Ambient.live.randomBytes(2 * Bench.bytesThatDoNotFit)
    private static let large = JSONValue.string(Base64URL.encode(largeBytes))

    /// - Returns: whether the body failed because the disk is full.
    private func failsAsFull(_ bench: Bench, _ body: () async throws -> Void) async throws -> Bool {
        let code = try await bench.refusal(body)
        if code != .full { Issue.record("the refusal is \(code.map { "\($0)" } ?? "none")") }
        return code == .full
    }

    @Test(arguments: Engines.fillable)
    func `a user is whole or not there`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let first = try await bench.user("first@example.com")
        try await bench.database.fillDisk()
        var andy = try bench.account("andy@example.com")
        andy.user.attributes = ["a": Self.large]
        let isFull = try await failsAsFull(bench) { [andy] in
            try await bench.stores.users.create(andy, authenticator: bench.authenticator("app", isConfirmed: true))
        }
        #expect(isFull)
        #expect(try await bench.stores.users.account(try bench.identifier("andy@example.com")) == nil)
        #expect(try await bench.stores.users.accounts(after: nil, limit: 9) == [first], "what was there stays")
        try await bench.database.freeDisk()
        try await bench.stores.users.create(andy, authenticator: bench.authenticator("app", isConfirmed: true))
        #expect(
            try await bench.stores.users.account(try bench.identifier("andy@example.com"))?.hasAuthenticator == true)
    }

    @Test(arguments: Engines.fillable)
    func `a change that does not fit changes nothing, and ends no session`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let grant = try await bench.openGrant(of: andy)
        try await bench.openSession(of: andy)
        try await bench.database.fillDisk()
        func change() async throws {
            _ = try await bench.stores.users.change(andy.user.id, at: bench.now) {
                $0.user.status = .disabled
                $0.user.attributes = ["a": Self.large]
            }
        }
        #expect(try await failsAsFull(bench, change))
        #expect(try await bench.stores.users.account(andy.user.id) == andy)
        #expect(try await bench.isAlive(grant))
        #expect(try await bench.isAlive(session: "session"))
        try await bench.database.freeDisk()
        try await change()
        #expect(try await bench.stores.users.account(andy.user.id)?.user.status == .disabled)
        #expect(try await !bench.isAlive(grant))
    }

    @Test(arguments: Engines.fillable)
    func `a ticket stays unused if its grant could not be written`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        let request = PushedRequest(
            digest: bench.digest("one"), clientID: "web", parameters: "", expiresAt: bench.now + 300)
        #expect(try await bench.stores.pushedRequests.add(request, max: nil, at: bench.now))
        let ticket = TransactionTicket.pushedRequest(digest: Base64URL.encode(request.digest.bytes))
        try await bench.database.fillDisk()
        let small = bench.grant(of: andy)
        let grant = Grant(
            id: small.id, clientID: "web", userID: andy.user.id, sessionID: nil, scope: small.scope, resources: [],
            authentication: small.authentication, nonce: nil, claimsRequest: Self.large.stringValue,
            createdAt: bench.now, idleExpiresAt: small.idleExpiresAt, absoluteExpiresAt: small.absoluteExpiresAt)
        func add() async throws -> GrantAddition {
            try await bench.stores.grants.add(grant, code: bench.code(), ticket: ticket)
        }
        #expect(try await failsAsFull(bench) { _ = try await add() })
        #expect(try await bench.stores.grants.grant(ofCode: bench.digest("code")) == nil)
        #expect(try await bench.stores.pushedRequests.isUnused(ticket, of: "web"))
        try await bench.database.freeDisk()
        #expect(try await add() == .added)
        #expect(try await !bench.stores.pushedRequests.isUnused(ticket, of: "web"))
    }

    @Test(arguments: Engines.fillable)
    func `a recovery that cannot be told of does not begin, and pays nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let andy = try await bench.userWithAuthenticator()
        let recovery = Recovery(userID: andy.user.id, begunAt: now, readyAt: now, expiresAt: now + 1_000)
        let (small, large) = (bench.message("small"), bench.message("large", sealed: Self.largeBytes))
        func begin(_ notices: [WaitingMessage]) async throws -> RecoveryBeginning {
            try await stores.recoveries.begin(
                recovery, epoch: 0, cancelledBy: bench.digest("cancel"), charge: bench.charge("recovery", max: 1),
                notices: notices, event: AuditEvent(.recoveryBegun, at: now, userID: andy.user.id), at: now)
        }
        try await bench.database.fillDisk()
        #expect(try await failsAsFull(bench) { _ = try await begin([small, large]) })
        #expect(try await stores.recoveries.recovery(of: andy.user.id, at: now) == nil)
        #expect(try await stores.messages.newest(limit: 9).isEmpty)
        #expect(try await stores.audit.newest(limit: 9).isEmpty)
        try await bench.database.freeDisk()
        let look = RateLimitCharge("recovery", max: 1, windowSeconds: 60, cost: 0)
        #expect(try await stores.rateLimits.spend([look], at: now) == nil)
        #expect(try await begin([]).isBegun)
        func finish() async throws {
            _ = try await stores.recoveries.finish(
                andy.user.id, epoch: 0, notices: [large],
                event: AuditEvent(.recoveryFinished, at: now, userID: andy.user.id), at: now)
        }
        try await bench.database.fillDisk()
        #expect(try await failsAsFull(bench, finish))
        #expect(try await stores.users.account(andy.user.id)?.hasAuthenticator == true)
        #expect(try await stores.recoveries.recovery(of: andy.user.id, at: now) != nil)
        try await bench.database.freeDisk()
        try await finish()
        #expect(try await stores.users.account(andy.user.id)?.hasAuthenticator == false)
    }

    @Test(arguments: Engines.fillable)
    func `of a batch nothing is written`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.database.fillDisk()
        let (small, large) = (
            AuditEvent(.signedIn, at: bench.now), AuditEvent(.signedIn, at: bench.now, reason: Self.large.stringValue)
        )
        #expect(try await failsAsFull(bench) { try await bench.stores.audit.append([small, large]) })
        #expect(try await bench.stores.audit.newest(limit: 9).isEmpty)
        var rows = (0..<2).map { _ in ImportedUser(newID: .make(.live)) }
        rows[1].attributes = ["a": Self.large]
        let isFull = try await failsAsFull(bench) { [rows] in
            _ = try await bench.database.nodes[0].imports.apply(rows, UserImportPlan(), at: bench.now)
        }
        #expect(isFull)
        #expect(try await bench.stores.users.accounts(after: nil, limit: 9).isEmpty)
        let andy = try bench.account("andy")
        try await bench.database.freeDisk()
        try await bench.stores.users.create(andy, authenticator: nil)
        try await bench.database.fillDisk()
        let facts = try bench.facts(of: andy, details: Self.large)
        let links = ["a", "b"].map {
            PendingLink(digest: bench.digest($0), facts: $0 == "a" ? withoutDetails(facts) : facts)
        }
        let linksAreFull = try await failsAsFull(bench) {
            try await bench.stores.links.add(
                links, reference: bench.digest("reference"), expiresAt: bench.now + 600, at: bench.now)
        }
        #expect(linksAreFull)
        #expect(try await bench.stores.links.end(of: bench.digest("a"), at: bench.now + 9_999) == nil)
        #expect(try await !bench.stores.links.isWaiting(bench.digest("reference"), at: bench.now))
    }

    /// The same facts without what is too large.
    private func withoutDetails(_ facts: VerificationFacts) -> VerificationFacts {
        var small = facts
        small.details = .null
        return small
    }

    @Test(arguments: Engines.fillable)
    func `one write that does not fit takes none of the others with it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        // Room for the small ones, which the large ones must not take.
        try await bench.stores.audit.append((0..<500).map { AuditEvent(.signedIn, at: bench.now + $0) })
        _ = try await bench.stores.audit.remove(
            before: bench.now + 1_000, limit: 1_000, at: bench.now)
        try await bench.stores.messages.enqueue(bench.message("first", sealed: [1]))
        try await bench.database.fillDisk()
        // The small ones fit into the page of the first, also those that are written twice because others were in the way.
        let outcomes = try await bench.race(12) { stores, number in
            try await bench.refusal {
                try await stores.messages.enqueue(
                    bench.message("\(number)", sealed: number % 4 == 0 ? Self.largeBytes : [1]))
            }
        }
        #expect(outcomes.allSatisfy { $0 == nil || $0 == .full }, "nothing else is told")
        let kept = try await bench.stores.messages.newest(limit: 99)
        #expect(kept.count == outcomes.count { $0 == nil } + 1 && kept.allSatisfy { $0.sealed == [1] })
        try await bench.stores.messages.enqueue(bench.message("small"))
        try await bench.database.freeDisk()
        try await bench.stores.messages.enqueue(bench.message("large", sealed: Self.largeBytes))
    }
}
