import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: provisioned users")
struct ProvisionedUserTests {
    private func activity(_ isActive: Bool, _ bench: Bench, email: String? = nil)
        -> @Sendable (SCIMRecord) -> Result<SCIMUserChange?, SCIMProblem>
    {
        let change = SCIMUserChange(content: bench.content("kim", isActive: isActive), profile: bench.profile(email))
        return { _ in .success(change) }
    }

    @Test(
        "M-1, M-2: who becomes inactive loses membership, sessions and grants at once, and gets none of them back",
        arguments: Engines.withValues)
    func deactivation(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.role("member", in: "t1", isDefault: true)
        let record = try await bench.provisioned("kim", in: "t1")
        let id = try #require(record.userID)
        #expect(try await bench.memberships(record) == ["t1": ["member"]])
        let account = try #require(try await bench.stores.users.account(id))
        let session = try await bench.openSession(of: account)
        let grant = try await bench.redeemedGrant(of: account, session: session.id)
        #expect(try await bench.isAlive(session: "session"))
        let users = bench.stores.provisionedUsers
        let off = try await users.changeUser(
            record.id, in: "t1", connections: [], at: bench.now, activity(false, bench)
        ).get()
        #expect(!off.isActive && off.version == 2)
        #expect(try await !bench.isAlive(session: "session"))
        #expect(try await !bench.isAlive(grant))
        #expect(try await bench.stores.users.account(id)?.user.status == .disabled)
        #expect(try await bench.memberships(record) == [:])
        let on = try await users.changeUser(record.id, in: "t1", connections: [], at: bench.now, activity(true, bench))
            .get()
        #expect(on.isActive && on.version == 3)
        #expect(try await bench.stores.users.account(id)?.user.status == .active)
        #expect(try await bench.memberships(record) == ["t1": ["member"]])
        #expect(try await !bench.isAlive(session: "session"))
        #expect(try await !bench.isAlive(grant))
    }

    @Test(
        "M-4: an account with the verified address joins and is not changed; others' addresses are no login IDs",
        arguments: Engines.withValues)
    func joining(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let old = try await bench.user("kim@a.example")
        let before = try #require(try await bench.stores.users.account(old.user.id))
        let joined = try await bench.provisioned("kim", in: "t1", nil, bench.profile("kim@a.example", isProven: true))
        #expect(joined.userID == old.user.id)
        var after = try #require(try await bench.stores.users.account(old.user.id))
        #expect(after.memberships.tenants["t1"] != nil)
        after.memberships = before.memberships
        #expect(after == before)
        // M-5: a tenant that has not proven the domain finds nobody, and its user gets no login ID.
        try await bench.tenant("t2")
        let contact = try await bench.provisioned("kim", in: "t2", nil, bench.profile("kim@a.example"))
        #expect(contact.userID != old.user.id)
        let madeID = try #require(contact.userID)
        let made = try #require(try await bench.stores.users.account(madeID))
        #expect(made.identifiers.isEmpty && made.email == "kim@a.example" && !made.isEmailVerified)
        // The profile of an account that was there before is not the directory's.
        _ = try await bench.stores.provisionedUsers.changeUser(
            joined.id, in: "t1", connections: [], at: bench.now, activity(false, bench, email: "evil@a.example"))
        let left = try #require(try await bench.stores.users.account(old.user.id))
        #expect(left.user.status == .active && left.user.claims == before.user.claims)
        #expect(left.identifiers == before.identifiers && left.memberships.tenants.isEmpty)
        // A sign-in that is under way elsewhere goes on.
        #expect(left.user.epoch == before.user.epoch)
    }

    @Test("M-21: nothing but the directory brings back a user that it deactivated", arguments: Engines.withValues)
    func barred(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let old = try await bench.user("kim@a.example")
        let record = try await bench.provisioned("kim", in: "t1", nil, bench.profile("kim@a.example", isProven: true))
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], at: bench.now, activity(false, bench))
        let changed = try await bench.stores.users.change(old.user.id, at: bench.now) {
            $0.memberships.tenants["t1"] = []
        }
        #expect(changed.memberships.tenants.isEmpty)
        #expect(try await bench.memberships(record) == [:])
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], at: bench.now, activity(true, bench))
        #expect(try await bench.memberships(record) == ["t1": []])
    }

    @Test(
        "M-3, M-17: a removed user is gone, and the account with it only if nothing else holds it",
        arguments: Engines.withValues)
    func removal(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let users = bench.stores.provisionedUsers
        let alone = try await bench.provisioned("alone", in: "t1")
        let wrong = try await users.deleteUser(alone.id, in: "t1", version: 7, connections: [], at: bench.now)
        #expect(wrong == .changed)
        let gone = try await users.deleteUser(alone.id, in: "t1", version: 1, connections: [], at: bench.now)
        #expect(gone == .deleted(account: alone.userID, isAccountRemoved: true))
        let removed = try #require(alone.userID)
        #expect(try await bench.stores.users.account(removed) == nil)
        #expect(try await bench.stores.provisioned.resource(alone.id, .user, in: "t1") == nil)
        #expect(
            try await users.deleteUser(alone.id, in: "t1", version: nil, connections: [], at: bench.now) == .missing)
        #expect(
            try await bench.refusal {
                _ = try await users.changeUser(
                    alone.id, in: "t1", connections: [], at: bench.now, activity(true, bench))
            } == .missing)
        let owner = try await bench.provisioned("owner", in: "t1")
        let id = try #require(owner.userID)
        try await bench.stores.passwords.set("$argon2id$x", of: id, at: bench.now)
        #expect(try await users.hasAdopted(id, in: "t1") == false)
        let kept = try await users.deleteUser(owner.id, in: "t1", version: nil, connections: [], at: bench.now)
        #expect(kept == .deleted(account: id, isAccountRemoved: false))
        let account = try #require(try await bench.stores.users.account(id))
        #expect(account.memberships.tenants.isEmpty && account.user.status == .active)
    }

    @Test("M-4: an account that others made is known as one that was taken in", arguments: Engines.withValues)
    func adoption(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        let made = try await bench.provisioned("kim", in: "t1")
        let id = try #require(made.userID)
        let email = try #require(Identifier(loginID: "kim@x.example"))
        _ = try await bench.stores.users.change(id, at: bench.now) { $0.identifiers[email] = .verified }
        #expect(try await bench.stores.provisionedUsers.hasAdopted(id, in: "t1") == false)
        #expect(try await bench.stores.provisionedUsers.hasAdopted(id, in: "t2") == false)
        let joining = bench.newUser(
            "kim", in: "t2", nil, bench.profile("kim@x.example", isProven: true))
        let joined = try await bench.stores.provisionedUsers.createUser(joining, in: "t2", at: bench.now)
        #expect(joined.userID == id)
        #expect(try await bench.stores.provisionedUsers.hasAdopted(id, in: "t2"))
        #expect(try await bench.stores.provisionedUsers.hasAdopted(id, in: "t1") == false)
    }

    @Test(
        "M-13, M-20: a name and an external identifier belong to one user of the tenant",
        arguments: Engines.withValues)
    func uniqueness(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        let made = try await bench.race { stores, number in
            do throws(StoreError) {
                var new = bench.newUser("kim", in: "t1")
                new.id += String(number)
                _ = try await stores.provisionedUsers.createUser(new, in: "t1", at: bench.now)
                return true
            } catch {
                #expect(error.code == .conflict)
                return false
            }
        }
        #expect(made.count { $0 } == 1)
        try await bench.provisioned("kim", in: "t2")
        try await bench.provisioned("a", in: "t1", bench.content("a", external: "x1"))
        #expect(
            try await bench.refusal {
                try await bench.provisioned("b", in: "t1", bench.content("b", external: "x1"))
            } == .conflict)
        let taken = SCIMUserChange(content: bench.content("a", external: "x2"), profile: bench.profile())
        _ = try await bench.stores.provisionedUsers.changeUser("t1/a", in: "t1", connections: [], at: bench.now) { _ in
            .success(taken)
        }
        try await bench.provisioned("b", in: "t1", bench.content("b", external: "x1"))
        #expect(try await bench.refusal { try await bench.provisioned("c", in: "t3") } == .missing)
    }

    @Test("M-6: a user of another tenant is unknown, and a refusal changes nothing", arguments: Engines.withValues)
    func isolation(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        let record = try await bench.provisioned("kim", in: "t1")
        let users = bench.stores.provisionedUsers
        #expect(
            try await bench.refusal {
                _ = try await users.changeUser(
                    record.id, in: "t2", connections: [], at: bench.now, activity(false, bench))
            } == .missing)
        #expect(
            try await users.deleteUser(record.id, in: "t2", version: nil, connections: [], at: bench.now) == .missing)
        let refused = try await users.changeUser(record.id, in: "t1", connections: [], at: bench.now) { _ in
            .failure(.changed)
        }
        #expect(refused == .failure(.changed))
        let same = try await users.changeUser(record.id, in: "t1", connections: [], at: bench.now) { _ in .success(nil)
        }
        #expect(try same.get() == record)
    }
}
