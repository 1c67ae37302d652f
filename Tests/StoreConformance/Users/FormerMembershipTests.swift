import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: users who were taken out of a tenant, and called back")
struct FormerMembershipTests {
    @Test(arguments: Engines.withValues)
    func `whom an operator took out is not the provider's again by what the directory says`(_ engine: any Engine)
        async throws
    {
        let member = try await Member(engine)
        try await member.take("t1")
        #expect(try await member.isFormer())
        try await member.callBack()
        #expect(try await member.state() == .calledBack)
        #expect(try await !member.signIn())
        #expect(
            try await member.isIndependent(), "the tenant's wish for its own sign-in keeps the person out of nothing")
    }

    @Test(arguments: Engines.withValues)
    func `nor by active false and true`(_ engine: any Engine) async throws {
        let member = try await Member(engine)
        let record = try await member.callBack()
        #expect(try await member.signIn(), "the control: the user was never out")
        try await member.set(active: false, record)
        #expect(try await member.state() == .former)
        try await member.set(active: true, record)
        #expect(try await member.state() == .calledBack)
        #expect(try await !member.signIn())
    }

    @Test(arguments: Engines.withValues)
    func `the user comes back once, by an act of their own`(_ engine: any Engine) async throws {
        let member = try await Member(engine)
        try await member.take("t1")
        try await member.callBack()
        #expect(try await member.signIn(endsAbsence: true))
        #expect(try await member.state() == .member)
        #expect(try await member.signIn())
    }

    @Test(arguments: Engines.withValues)
    func `a dispute of the sign-in that brought the user back takes that back`(_ engine: any Engine) async throws {
        let member = try await Member(engine)
        let bench = member.bench
        try await member.take("t1")
        try await member.callBack()
        try #require(try await member.signIn(endsAbsence: true))
        let dispute = SignInDispute(
            digest: bench.digest("dispute"), userID: member.id, signedInAt: bench.now, startedAt: bench.now,
            expiresAt: bench.now + 86_400)
        let event = AuditEvent(.signInDisputed, at: bench.now, userID: member.id)
        try #require(try await bench.stores.risks.dispute(dispute, event: event, at: bench.now + 60))
        #expect(try await member.isFormer())
    }

    @Test(arguments: Engines.withValues, [[false], [false, true]])
    func `a dispute ends what an identity brought, also if the directory took and gave it meanwhile`(
        _ engine: any Engine, states: [Bool]
    ) async throws {
        let member = try await Member(engine)
        let bench = member.bench
        try await member.take("t1")
        let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "thief")
        let identity = FederatedIdentity(
            key: key, userID: member.id, linkedAt: bench.now, usedAt: bench.now, isByOwner: true)
        let account = try #require(try await bench.stores.users.account(member.id))
        try #require(try await bench.stores.identities.link(identity, epoch: account.user.epoch) == .linked)
        let use = IdentityUse(key: key, email: nil, name: nil, tenantID: "t1", endsAbsence: true)
        _ = try await bench.stores.identities.use(use, of: member.id, at: bench.now) { account, _ in
            account.memberships.tenants["t1"] = []
            return []
        }
        let record = try await member.callBack()
        for isActive in states { try await member.set(active: isActive, record) }
        let dispute = SignInDispute(
            digest: bench.digest("dispute"), userID: member.id, signedInAt: bench.now, startedAt: bench.now,
            expiresAt: bench.now + 86_400)
        let event = AuditEvent(.signInDisputed, at: bench.now, userID: member.id)
        try #require(try await bench.stores.risks.dispute(dispute, event: event, at: bench.now + 60))
        #expect(try await member.state() == .former)
        #expect(try await bench.stores.provisioned.resource(record.id, .user, in: "t1") == nil)
    }

    @Test(arguments: Engines.withValues)
    func `who signs in and is no member meanwhile is not back`(_ engine: any Engine) async throws {
        let member = try await Member(engine)
        let record = try await member.callBack()
        try await member.set(active: false, record)
        _ = try await member.signIn(endsAbsence: true)
        try await member.set(active: true, record)
        #expect(try await member.state() == .calledBack)
    }

    @Test(arguments: Engines.withValues)
    func `an operator who gives the membership again brings the user back`(_ engine: any Engine) async throws {
        let member = try await Member(engine)
        for tenant in ["t1", "t2"] {
            try await member.give(tenant)
            try await member.take(tenant)
        }
        try await member.give("t1")
        #expect(try await member.state() == .member)
        #expect(try await member.isFormer(of: "t2"))
        #expect(try await member.signIn())
        try await member.give("t1")
        #expect(try await member.isFormer(of: "t2"), "the other one is as it was")
    }

    @Test(arguments: Engines.withValues)
    func `an account change that keeps the membership brings no one back`(_ engine: any Engine) async throws {
        let member = try await Member(engine)
        try await member.take("t1")
        try await member.callBack()
        _ = try await member.bench.stores.users.change(member.id, at: member.bench.now) { $0.user.claims["name"] = "A" }
        #expect(try await member.state() == .calledBack)
    }

    @Test(arguments: Engines.withValues)
    func `nor is one that the user connected, or brought by a merge, let in by the provider's word alone`(
        _ engine: any Engine
    ) async throws {
        let member = try await Member(engine, isByOwner: true)
        try await member.take("t1")
        #expect(try await !member.signIn())
        #expect(try await member.signIn(endsAbsence: true), "the owner has signed in")
        #expect(try await member.state() == .member)
    }

    @Test(arguments: Engines.withValues)
    func `a directory reaches again only an account that it holds alone`(_ engine: any Engine) async throws {
        for isOwn in [false, true] {
            let bench = try await Bench(engine)
            try await bench.tenant("t1")
            let record = try await bench.provisioned("kim", in: "t1")
            let user = try #require(record.userID)
            if isOwn { try await bench.stores.passwords.set("$argon2id$x", of: user, at: bench.now) }
            for isActive in [false, true] { try await bench.set(active: isActive, record, as: "kim") }
            #expect(try await bench.stores.identities.formerTenants(of: user).contains("t1") == isOwn)
            try await bench.set(active: true, record, as: "kim", called: "Thief")
            let name = try await bench.stores.users.account(user)?.user.claims["name"]?.stringValue
            #expect((name == "Thief") != isOwn)
        }
    }

    @Test(arguments: Engines.withValues)
    func `what the tenant vouched for ends when an operator takes the membership, and no other session`(
        _ engine: any Engine
    ) async throws {
        let member = try await Member(engine)
        let bench = member.bench
        let account = try #require(try await bench.stores.users.account(member.id))
        try await bench.openSession(of: account, "own")
        #expect(try await bench.mayOpen(account, "vouched", vouchedBy: "t1"))
        let vouched = try await bench.vouchedGrant(of: account, by: "t1")
        let selected = try await bench.vouchedGrant(of: account, selected: "t1")
        try await member.take("t1")
        #expect(try await bench.isAlive(session: "own"))
        #expect(try await !bench.isAlive(session: "vouched"))
        #expect(try await !bench.isAlive(vouched))
        #expect(try await bench.isAlive(selected))
    }

    @Test(arguments: Engines.withValues)
    func `an account that goes into another one takes along what it left`(_ engine: any Engine) async throws {
        let member = try await Member(engine)
        try await member.take("t1")
        let bea = try await member.bench.user("bea@a.example")
        let merged = try await member.bench.stores.users.merge(
            asking: bea.user.id, existing: member.id, proved: try #require(Identifier(loginID: "andy@a.example")),
            keeping: .asking, at: member.bench.now)
        #expect(try await member.bench.stores.identities.formerTenants(of: merged.user.id) == ["t1"])
    }
}

/// A member by an operator's word, whom the tenant's provider knows.
private struct Member {
    private static let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
    let bench: Bench
    let id: UserID

    init(_ engine: any Engine, isByOwner: Bool = false) async throws {
        bench = try await Bench(engine)
        for tenant in ["t1", "t2"] { try await bench.tenant(tenant) }
        let account = try await bench.user("andy@a.example")
        id = account.user.id
        try await give("t1")
        let identity = FederatedIdentity(
            key: Self.key, userID: id, linkedAt: bench.now, usedAt: bench.now, isByOwner: isByOwner)
        let epoch = try await bench.epoch(of: account)
        try #require(try await bench.stores.identities.link(identity, epoch: epoch) == .linked)
        try #require(try await signIn())
    }

    func give(_ tenant: String) async throws {
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.memberships.tenants[tenant] = [] }
    }

    func take(_ tenant: String) async throws {
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.memberships.tenants[tenant] = nil }
    }

    /// The directory takes the account in: it knows the address.
    @discardableResult
    func callBack() async throws -> SCIMRecord {
        let record = try await bench.provisioned("andy", in: "t1", nil, bench.profile("andy@a.example", isProven: true))
        try #require(record.userID == id)
        return record
    }

    func set(active isActive: Bool, _ record: SCIMRecord) async throws {
        try await bench.set(active: isActive, record, as: "andy")
    }

    func signIn(endsAbsence: Bool = false) async throws -> Bool {
        let use = IdentityUse(key: Self.key, email: nil, name: nil, tenantID: "t1", endsAbsence: endsAbsence)
        let refusal = try await bench.refusal {
            _ = try await bench.stores.identities.use(use, of: id, at: bench.now) { account, _ in
                account.memberships.tenants["t1"] = account.memberships.tenants["t1"] ?? []
                return []
            }
        }
        return refusal == nil
    }

    func isFormer(of tenant: String = "t1") async throws -> Bool {
        try await bench.stores.identities.formerTenants(of: id).contains(tenant)
    }

    enum State { case member, former, calledBack, stranger }

    func state() async throws -> State {
        let isMember = try await bench.stores.users.account(id)?.memberships.tenants["t1"] != nil
        return try await isFormer() ? isMember ? .calledBack : .former : isMember ? .member : .stranger
    }

    func isIndependent() async throws -> Bool {
        try await bench.stores.provisionedUsers.isIndependent(id, of: "t1", connections: ["c"])
    }
}

extension Bench {
    fileprivate func set(active isActive: Bool, _ record: SCIMRecord, as name: String, called: String = "Kim")
        async throws
    {
        let profile = SCIMProfile(claims: ["name": .string(called)], email: nil, isEmailProven: false)
        let change = SCIMUserChange(content: content(name, isActive: isActive), profile: profile)
        _ = try await stores.provisionedUsers.changeUser(record.id, in: record.tenantID, connections: ["c"], at: now) {
            _ in .success(change)
        }
    }
}
