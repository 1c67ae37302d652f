import Authority
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: two accounts that become one")
struct UserMergeTests {
    @Test(arguments: Engines.withValues, [UserMerge.Kept.asking, .existing])
    func `attack 92: of two accounts one stays, and an unverified one brings nothing`(
        _ engine: any Engine, _ kept: UserMerge.Kept
    ) async throws {
        let bench = try await Bench(engine)
        let users = bench.stores.users
        let asking = try bench.account("+15551234567")
        let existing = try bench.account("andy@example.com", "andy", verification: .unverified, hash: "$attacker")
        for account in [asking, existing] { try await users.create(account, authenticator: nil) }
        let identifier = try bench.identifier("andy@example.com")
        let attackers = try await bench.openGrant(of: existing)
        let merged = try await users.merge(
            asking: asking.user.id, existing: existing.user.id, proved: identifier, keeping: kept, at: bench.now)
        #expect(merged.user.id == (kept == .asking ? asking : existing).user.id)
        #expect(merged.identifiers.count == 2 && merged.identifiers[identifier] == .verified)
        let stored = try #require(try await users.account(merged.user.id))
        #expect(stored == merged && stored.passwordHash == nil)
        #expect(try await users.account((kept == .asking ? existing : asking).user.id) == nil)
        #expect(try await !bench.isAlive(attackers))
    }

    @Test(arguments: Engines.all)
    func `access keys and data keys of the one that goes belong to the one that stays, its grants end`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        let (stores, now) = (bench.stores, bench.now)
        let (asking, existing) = (try await bench.user("bea@example.com"), try await bench.user("andy@example.com"))
        let key = AccessKey(
            id: "K", name: "ci", boundUser: existing.user.id, createdBy: "test", createdAt: now, updatedAt: now)
        try await stores.accessKeys.create(key, digest: bench.digest("secret"))
        _ = try await stores.dataKeys.add(bench.dataKey(of: existing), name: nil, at: now)
        let (kept, gone) = (try await bench.openGrant(of: asking), try await bench.openGrant(of: existing))
        _ = try await stores.users.merge(
            asking: asking.user.id, existing: existing.user.id,
            proved: try bench.identifier("andy@example.com"), keeping: .asking, at: now)
        #expect(try await stores.accessKeys.key("K")?.boundUser == asking.user.id)
        #expect(try await stores.dataKeys.key("key", realm: "")?.userID == asking.user.id)
        #expect(try await bench.isAlive(kept))
        #expect(try await !bench.isAlive(gone))
    }

    @Test(arguments: Engines.withValues)
    func `two merges at once of the same accounts: one happens`(_ engine: any Engine) async throws {
        for _ in 0..<10 {
            let bench = try await Bench(engine)
            let (one, other) = (try await bench.user("bea@example.com"), try await bench.user("andy@example.com"))
            let names = try ["bea@example.com", "andy@example.com"].map { try bench.identifier($0) }
            let results = try await bench.both(
                { stores in
                    try await bench.refusal {
                        _ = try await stores.users.merge(
                            asking: one.user.id, existing: other.user.id, proved: names[1], keeping: .asking,
                            at: bench.now)
                    }
                },
                { stores in
                    try await bench.refusal {
                        _ = try await stores.users.merge(
                            asking: other.user.id, existing: one.user.id, proved: names[0], keeping: .asking,
                            at: bench.now)
                    }
                })
            #expect([results.0, results.1].count { $0 == nil } == 1)
            #expect([results.0, results.1].count { $0 == .missing } == 1)
            let left = try await bench.stores.users.accounts(after: nil, limit: 9)
            #expect(left.count == 1 && left[0].identifiers.keys.map(\.value).sorted() == names.map(\.value).sorted())
        }
    }

    @Test(arguments: Engines.withValues)
    func `identities at providers are new to the account that gets them`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
        let identity = FederatedIdentity(
            key: key, userID: bea.user.id, linkedAt: bench.now - 100, usedAt: bench.now - 100)
        #expect(try await bench.stores.identities.link(identity, epoch: bea.user.epoch) == .linked)
        _ = try await bench.stores.users.merge(
            asking: andy.user.id, existing: bea.user.id, proved: try bench.identifier("bea@example.com"),
            keeping: .asking, at: bench.now)
        let moved = try #require(try await bench.stores.identities.identity(key))
        #expect(moved.userID == andy.user.id && moved.linkedAt == bench.now)
    }

    @Test(arguments: Engines.withValues)
    func `by an operator's word, an account that proved nothing brings no address`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let users = bench.stores.users
        var claimed = try bench.account("stranger@example.com", "stranger", verification: .unverified)
        claimed.set(.email, "stranger@example.com", isVerified: false)
        let existing = try await bench.user()
        try await users.create(claimed, authenticator: nil)
        let rulebook = Rulebook(AuthorityPolicy())
        let caller = Caller.operator(OperatorStanding(user: "o1", role: .operator, isRecent: true, actingRoles: []))
        let merged = try await users.merge(
            by: try rulebook.permission(Acts.MergeAccounts.self, to: caller, on: claimed.subject),
            with: try rulebook.permission(Acts.GiveUpAccount.self, to: caller, on: existing.subject),
            proved: try bench.identifier("andy@example.com"), keeping: .asking, at: bench.now)
        #expect(Set(merged.identifiers.keys.map(\.value)) == ["andy@example.com", "stranger"])
        #expect(merged.user.id == claimed.user.id && merged.email == nil)
    }

    @Test(arguments: Engines.withValues)
    func `what ended the sessions of either account ended older tokens of both`(_ engine: any Engine) async throws {
        for endsFirst in [true, false] {
            let bench = try await Bench(engine)
            let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
            let order = endsFirst ? [andy, bea] : [bea, andy]
            for (number, account) in order.enumerated() {
                _ = try await bench.stores.grants.endEverything(
                    of: account.user.id, reason: .logout, at: bench.now + Int64(number))
            }
            let merged = try await bench.stores.users.merge(
                asking: andy.user.id, existing: bea.user.id, proved: try bench.identifier("bea@example.com"),
                keeping: .asking, at: bench.now + 9)
            #expect(merged.user.endedAt == bench.now + 1)
            #expect(try await bench.stores.users.account(andy.user.id)?.user.endedAt == bench.now + 1)
        }
    }

    @Test(arguments: Engines.withValues)
    func `an identity that was disconnected stays so`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let identities = bench.stores.identities
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
        let identity = FederatedIdentity(key: key, userID: bea.user.id, linkedAt: bench.now, usedAt: bench.now)
        #expect(try await identities.link(identity, epoch: bea.user.epoch) == .linked)
        #expect(
            try await identities.unlink(key, of: bea.user.id, leaving: .passwords, at: bench.now) == .unlinked)
        _ = try await bench.stores.users.merge(
            asking: andy.user.id, existing: bea.user.id, proved: try bench.identifier("bea@example.com"),
            keeping: .asking, at: bench.now)
        #expect(try await identities.wasUnlinked(key))
        #expect(try await identities.hasIdentity(andy.user.id, at: "c", besides: nil))
    }
}
