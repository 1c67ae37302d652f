import Authority
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: accounts that a directory took in by an address which the user added")
struct BroughtResourceTests {
    private static let address = "andy@work.example"
    /// After the bench's moment: the address is added, and the thief's sign-in is disputed.
    private static let (added, disputed) = (Int64(5), Int64(60))

    /// A user who has added an address.
    private static func user(_ engine: any Engine, isMember: Bool = false) async throws -> (Bench, UserID) {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let id = try await bench.user("andy@home.example").user.id
        if isMember {
            _ = try await bench.stores.users.change(id, at: bench.now) { $0.memberships.tenants["t1"] = [] }
        }
        let address = try bench.identifier(address)
        _ = try await bench.stores.users.change(id, at: bench.now + added) { $0.identifiers[address] = .verified }
        return (bench, id)
    }

    /// The directory takes the account in.
    private static func adopt(
        naming address: String = address, isActive: Bool = true, _ bench: Bench
    ) async throws -> SCIMRecord {
        try await bench.provisioned(
            "andy", in: "t1", bench.content("andy", isActive: isActive), bench.profile(address, isProven: true))
    }

    /// Everything since a moment was another person.
    private static func dispute(_ id: UserID, since seconds: Int64, _ bench: Bench) async throws {
        let start = bench.now + seconds
        let dispute = SignInDispute(
            digest: bench.digest("dispute"), userID: id, signedInAt: start, startedAt: start,
            expiresAt: bench.now + 86_400)
        let event = AuditEvent(.signInDisputed, at: bench.now, userID: id)
        try #require(try await bench.stores.risks.dispute(dispute, event: event, at: bench.now + disputed))
    }

    private static func isMember(_ id: UserID, _ bench: Bench) async throws -> Bool {
        try await bench.stores.users.account(id)?.memberships.tenants["t1"] != nil
    }

    private static func isKnown(_ record: SCIMRecord, _ bench: Bench) async throws -> Bool {
        try await bench.stores.provisioned.resource(record.id, .user, in: "t1") != nil
    }

    private static func set(active isActive: Bool, _ record: SCIMRecord, _ bench: Bench) async throws {
        let profile = SCIMProfile(claims: [:], email: nil, isEmailProven: false)
        let change = SCIMUserChange(content: bench.content("andy", isActive: isActive), profile: profile)
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], at: bench.now + added
        ) { _ in .success(change) }
    }

    @Test(arguments: Engines.withValues, [[], [false], [false, true]])
    func `a dispute ends what came by an address that was added since`(_ engine: any Engine, states: [Bool])
        async throws
    {
        for (start, stays) in [(Self.added, false), (Self.added + 1, true)] {
            let (bench, id) = try await Self.user(engine)
            let record = try await Self.adopt(bench)
            try #require(record.userID == id)
            for isActive in states { try await Self.set(active: isActive, record, bench) }
            #expect(try await Self.isMember(id, bench) == states.last ?? true)
            try await Self.dispute(id, since: start, bench)
            #expect(try await Self.isMember(id, bench) == (stays && states.last ?? true))
            #expect(try await Self.isKnown(record, bench) == stays)
        }
    }

    @Test(arguments: Engines.withValues)
    func `also if the directory has the user as inactive first`(_ engine: any Engine) async throws {
        let (bench, id) = try await Self.user(engine)
        let record = try await Self.adopt(isActive: false, bench)
        try #require(record.userID == id)
        try await Self.dispute(id, since: Self.added, bench)
        #expect(try await !Self.isKnown(record, bench))
    }

    @Test(arguments: Engines.withValues)
    func `what came by an address of before stays`(_ engine: any Engine) async throws {
        let (bench, id) = try await Self.user(engine)
        let record = try await Self.adopt(naming: "andy@home.example", bench)
        try #require(record.userID == id)
        try await Self.dispute(id, since: Self.added, bench)
        #expect(try await Self.isMember(id, bench))
        #expect(try await Self.isKnown(record, bench))
    }

    @Test(arguments: Engines.withValues)
    func `a membership that an operator had given stays, without the roles of the directory's groups`(
        _ engine: any Engine
    ) async throws {
        let (bench, id) = try await Self.user(engine, isMember: true)
        try await bench.role("admin", in: "t1")
        let record = try await Self.adopt(bench)
        let group = try await bench.group("staff", in: "t1", members: [record.id])
        try await bench.stores.provisionedGroups.map(group.id, in: "t1", to: "admin", at: bench.now)
        try #require(try await bench.memberships(record) == ["t1": ["admin"]])
        try await Self.dispute(id, since: Self.added, bench)
        #expect(try await bench.stores.users.account(id)?.memberships.tenants == ["t1": []])
        #expect(try await !Self.isKnown(record, bench))
    }

    @Test(arguments: Engines.withValues, [[], [false], [false, true]])
    func `what a merge brought goes with its dispute, also if the directory had taken it`(
        _ engine: any Engine, states: [Bool]
    ) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let kim = try bench.account(Self.address)
        try await bench.stores.users.create(kim, authenticator: nil)
        let record = try await Self.adopt(bench)
        try #require(record.userID == kim.user.id)
        let bea = try await bench.user("bea@home.example")
        if !states.isEmpty { try await Self.set(active: false, record, bench) }
        let merged = try await Self.merge(kim.user.id, into: bea, bench)
        for isActive in states.dropFirst() { try await Self.set(active: isActive, record, bench) }
        #expect(try await Self.isMember(merged, bench) == states.last ?? true)
        try await Self.dispute(merged, since: Self.added, bench)
        #expect(try await !Self.isMember(merged, bench))
        #expect(try await !Self.isKnown(record, bench))
    }

    @Test(arguments: Engines.withValues)
    func `a dispute of a merge takes no membership that the account had before`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let own = try bench.account(Self.address)
        try await bench.stores.users.create(own, authenticator: nil)
        let record = try await Self.adopt(bench)
        try #require(record.userID == own.user.id)
        let thief = try bench.account("thief@home.example")
        try await bench.stores.users.create(thief, authenticator: nil)
        for tenants in [["t1": []], [:]] as [[String: [String]]] {
            _ = try await bench.stores.users.change(thief.user.id, at: bench.now) { $0.memberships.tenants = tenants }
        }
        let merged = try await Self.merge(thief.user.id, into: own, proving: "thief@home.example", bench)
        try #require(merged == own.user.id)
        try await Self.dispute(merged, since: Self.added, bench)
        #expect(try await Self.isMember(merged, bench))
        #expect(try await Self.isKnown(record, bench))
    }

    /// By the user of both, in a session of the one that stays.
    private static func merge(
        _ other: UserID, into account: Account, proving name: String = address, _ bench: Bench
    ) async throws -> UserID {
        let caller = Caller.session(
            SessionStanding(.page, isRecent: true, usedStrongFactor: false, usedSeveralFactors: false))
        let rulebook = Rulebook(AuthorityPolicy())
        let given = try #require(try await bench.stores.users.account(other))
        return try await bench.stores.users.merge(
            by: try rulebook.permission(
                Acts.MergeAccounts.self, to: caller, on: account.subject, showing: .addressProof),
            with: try rulebook.permission(
                Acts.GiveUpAccount.self, to: caller, on: given.subject, showing: .addressProof),
            proved: try bench.identifier(name), keeping: .asking, at: bench.now + added
        ).user.id
    }
}
