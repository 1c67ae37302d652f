import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: users brought in by the batch")
struct UserImportTests {
    private func row(_ name: String, hash: String? = nil) throws -> ImportedUser {
        var row = ImportedUser(newID: .make(.live))
        row.identifiers = [try #require(Identifier(loginID: name)): .verified]
        row.claims = ["name": .string(name)]
        row.passwordHash = hash
        return row
    }

    private func apply(_ rows: [ImportedUser], by plan: UserImportPlan = UserImportPlan(), _ bench: Bench) async throws
        -> [UserImport.Outcome]
    {
        try await bench.database.nodes[0].imports.apply(rows, plan, at: bench.now)
    }

    @Test(arguments: Engines.all)
    func `each row is whole or not there, and one that is refused does not stop the others`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        var homeless = try row("homeless")
        homeless.tenants = ["nowhere": []]
        var full = try row("full", hash: "$hash")
        full.authenticator = bench.authenticator("app", isConfirmed: true)
        let twice = try row("bea")
        let outcomes = try await apply([full, homeless, twice, try row("bea"), try row("carl")], bench)
        #expect(outcomes[0] == .created(full.newID))
        #expect(outcomes[1] == .refused(.noTenant))
        #expect(outcomes[2] == .created(twice.newID) && outcomes[3] == .unchanged(twice.newID))
        let read = try #require(try await bench.stores.users.account(full.newID))
        #expect(read.hasAuthenticator && read.passwordHash == "$hash")
        #expect(try await bench.stores.users.account(homeless.newID) == nil)
        #expect(try await bench.stores.users.accounts(after: nil, limit: 9).count == 3)
        let events = try await bench.stores.audit.newest(limit: 9)
        #expect(events.count { $0.kind == .userCreated } == 3)
    }

    @Test(arguments: Engines.all)
    func `that others set up a way to sign in comes along, and is not forgotten by a later row`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        var (new, known) = (try row("new"), try row("andy@example.com"))
        (new.othersAt, new.operatorsAt, known.othersAt) = (bench.now - 9, bench.now - 5, bench.now - 7)
        (new.disputedAt, known.disputedAt) = (bench.now - 3, bench.now - 2)
        let plan = UserImportPlan(rule: .update)
        #expect(try await apply([new, known], by: plan, bench) == [.created(new.newID), .updated(andy.user.id)])
        let created = try #require(try await bench.stores.users.account(new.newID)).user
        let updated = try #require(try await bench.stores.users.account(andy.user.id)).user
        #expect(created.othersAt == bench.now - 9 && created.operatorsAt == bench.now - 5)
        #expect(updated.othersAt == bench.now - 7 && updated.operatorsAt == nil)
        #expect(created.disputedAt == bench.now - 3 && updated.disputedAt == bench.now - 2)
        (known.othersAt, known.operatorsAt, known.disputedAt) = (nil, bench.now - 1, nil)
        #expect(try await apply([known], by: plan, bench) == [.updated(andy.user.id)])
        let later = try #require(try await bench.stores.users.account(andy.user.id)).user
        #expect(later.othersAt == bench.now - 7 && later.operatorsAt == bench.now - 1)
        #expect(later.disputedAt == bench.now - 2)
        known.operatorsAt = nil
        #expect(try await apply([known], by: plan, bench) == [.unchanged(andy.user.id)])
    }

    @Test(arguments: Engines.all, UserImport.Rule.allCases)
    func `what is there is left, kept or changed as the plan says`(_ engine: any Engine, _ rule: UserImport.Rule)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user()
        var changed = try row("andy@example.com", hash: "$new")
        changed.claims = ["name": "Andrew"]
        let outcomes = try await apply([changed], by: UserImportPlan(rule: rule), bench)
        let id = andy.user.id
        let expected: [UserImport.Outcome] = [
            rule == .update ? .updated(id) : rule == .skip ? .skipped(id) : .refused(.differs(id))
        ]
        #expect(outcomes == expected)
        let read = try #require(try await bench.stores.users.account(id))
        #expect(read.user.claims["name"] == (rule == .update ? "Andrew" : "andy@example.com"))
        #expect(read.passwordHash == andy.passwordHash, "a password that is there stays")
    }

    @Test(arguments: Engines.all)
    func `a rehearsal judges everything and writes nothing`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let rows = [try row("andy"), try row("bea")]
        let rehearsed = try await apply(rows, by: UserImportPlan(isRehearsal: true), bench)
        #expect(try await bench.stores.users.accounts(after: nil, limit: 9).isEmpty)
        #expect(try await bench.stores.audit.head().number == 0)
        #expect(try await apply(rows, bench) == rehearsed)
    }

    @Test(arguments: Engines.all)
    func `another password and another status end the user's sessions`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        let grants = [try await bench.openGrant(of: andy), try await bench.openGrant(of: bea)]
        let password = try row("andy@example.com", hash: "$new")
        var disabled = try row("bea@example.com")
        disabled.status = .disabled
        let plan = UserImportPlan(rule: .update, replacesPasswords: true)
        #expect(
            try await apply([password, disabled], by: plan, bench) == [.updated(andy.user.id), .updated(bea.user.id)])
        #expect(try await bench.stores.users.account(andy.user.id)?.passwordHash == "$new")
        for grant in grants { #expect(try await !bench.isAlive(grant)) }
        #expect(try await bench.epoch(of: andy) == 1)
    }

    @Test(arguments: Engines.all)
    func `imports of the same users at once make each of them once`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let batches = try (0..<20).map { _ in try (0..<5).map { try row("user\($0)@example.com") } }
        let nodes = bench.database.nodes
        let outcomes = try await withThrowingTaskGroup(of: [UserImport.Outcome].self) { group in
            for (number, batch) in batches.enumerated() {
                group.addTask {
                    try await nodes[number % nodes.count].imports.apply(batch, UserImportPlan(), at: bench.now)
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(outcomes.count { if case .created = $0 { true } else { false } } == 5)
        #expect(outcomes.count { if case .unchanged = $0 { true } else { false } } == 95)
        #expect(try await bench.stores.users.accounts(after: nil, limit: 99).count == 5)
    }

    @Test(arguments: Engines.all)
    func `a status that a row says again is the operator's, and no directory changes it back`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let record = try await bench.provisioned("kim", in: "t1")
        let id = try #require(record.userID)
        func say(isActive: Bool) async throws {
            let change = SCIMUserChange(content: bench.content("kim", isActive: isActive), profile: bench.profile())
            _ = try await bench.stores.provisionedUsers.changeUser(
                record.id, in: "t1", connections: [], at: bench.now
            ) { _ in .success(change) }
        }
        try await say(isActive: false)
        var again = ImportedUser(newID: .make(.live))
        again.id = id
        again.status = .disabled
        #expect(try await apply([again], by: UserImportPlan(rule: .update), bench) == [.unchanged(id)])
        try await say(isActive: true)
        #expect(try await bench.stores.users.account(id)?.user.status == .disabled)
    }

    @Test(arguments: Engines.all)
    func `a row that proves what an account only claimed leaves nothing of the stranger's`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        for (name, isProved) in [("eve", false), ("kim", true)] {
            var account = try bench.account(name)
            let address = try bench.identifier("\(name)@example.com")
            account.identifiers[address] = isProved ? .verified : .unverified
            account.passwordHash = "$old"
            try await bench.stores.users.create(account, authenticator: nil)
            var row = try row("\(name)@example.com")
            row.id = account.user.id
            #expect(try await apply([row], by: UserImportPlan(rule: .update), bench) == [.updated(account.user.id)])
            let read = try #require(try await bench.stores.users.account(account.user.id))
            #expect(read.identifiers[address] == .verified)
            #expect(read.passwordHash == (isProved ? "$old" : nil))
        }
    }

    @Test(arguments: Engines.all)
    func `so does a row that proves another address than the claimed one; a user name alone keeps its password`(
        _ engine: any Engine
    ) async throws {
        let bench = try await Bench(engine)
        for (name, phone) in [("eve@example.com", "+15551234567"), ("kim", "+15551234568")] {
            let isClaim = name != "kim"
            let account = try bench.account(name, verification: isClaim ? .unverified : .verified, hash: "$old")
            try await bench.stores.users.create(account, authenticator: nil)
            var row = ImportedUser(newID: .make(.live))
            row.id = account.user.id
            row.claims = ["phone_number": .string(phone), "phone_number_verified": true]
            #expect(try await apply([row], by: UserImportPlan(rule: .update), bench) == [.updated(account.user.id)])
            let read = try #require(try await bench.stores.users.account(account.user.id))
            #expect(read.isPhoneVerified && read.identifiers == account.identifiers)
            #expect(read.passwordHash == (isClaim ? nil : "$old"))
        }
    }
}
