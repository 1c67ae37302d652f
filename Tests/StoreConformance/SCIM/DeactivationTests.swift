import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: what a directory's deactivation ends")
struct DeactivationTests {
    private func off(_ bench: Bench) -> @Sendable (SCIMRecord) -> Result<SCIMUserChange?, SCIMProblem> {
        let change = SCIMUserChange(content: bench.content("kim", isActive: false), profile: bench.profile())
        return { _ in .success(change) }
    }

    @Test(
        "M-1: a directory ends what its tenant vouched for, and leaves the sessions of others alone",
        arguments: Engines.withValues)
    func othersSessions(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        for tenant in ["t1", "t2"] { try await bench.tenant(tenant) }
        let old = try await bench.user("kim@a.example")
        let record = try await bench.provisioned("kim", in: "t1", nil, bench.profile("kim@a.example", isProven: true))
        _ = try await bench.stores.users.change(old.user.id, at: bench.now) { $0.memberships.tenants["t2"] = [] }
        let account = try #require(try await bench.stores.users.account(old.user.id))
        let own = try await bench.openSession(of: account, "own")
        #expect(try await bench.mayOpen(account, "other", vouchedBy: "t2"))
        #expect(try await bench.mayOpen(account, "here", vouchedBy: "t1"))
        let ownGrant = try await bench.vouchedGrant(of: account, session: own.id)
        let hereGrant = try await bench.vouchedGrant(of: account, session: SessionID(rawValue: "here"), by: "t1")
        let selected = try await bench.vouchedGrant(of: account, selected: "t1")
        let otherGrant = try await bench.vouchedGrant(of: account, session: SessionID(rawValue: "other"), by: "t2")
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], at: bench.now, off(bench))
        #expect(try await !bench.isAlive(session: "here"))
        #expect(try await bench.isAlive(session: "own"))
        #expect(try await bench.isAlive(session: "other"))
        #expect(try await !bench.isAlive(hereGrant))
        #expect(try await !bench.isAlive(selected))
        #expect(try await bench.isAlive(ownGrant))
        #expect(try await bench.isAlive(otherGrant))
        let left = try #require(try await bench.stores.users.account(old.user.id))
        #expect(left.user.status == .active && Set(left.memberships.tenants.keys) == ["t2"])
        // A sign-in at the tenant's provider that was under way opens nothing now.
        #expect(try await bench.mayOpen(left, "one", vouchedBy: "t1") == false)
        #expect(try await bench.mayOpen(left, "two", vouchedBy: "t2"))
        #expect(try await bench.mayOpen(left, "three", vouchedBy: nil))
        _ = try await bench.stores.provisionedUsers.deleteUser(
            record.id, in: "t1", version: nil, connections: [], at: bench.now)
        #expect(try await bench.isAlive(session: "own"))
    }

    @Test(arguments: Engines.withValues)
    func `what a tenant vouched for ends, and the tenant was selected for, and nothing else`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let andy = try await bench.user("kim@a.example")
        for tenant in ["t1", "t2"] { try await bench.tenant(tenant) }
        let sessions = bench.stores.sessions
        #expect(try await !sessions.endVouched(by: "t1", of: andy.user.id, at: bench.now))
        for tenant in ["t1", "t2"] { #expect(try await bench.mayOpen(andy, tenant, vouchedBy: tenant)) }
        let vouched = try await bench.vouchedGrant(of: andy, session: SessionID(rawValue: "t1"), by: "t1")
        let selected = try await bench.vouchedGrant(of: andy, selected: "t1")
        let other = try await bench.vouchedGrant(of: andy, session: SessionID(rawValue: "t2"), by: "t2")
        #expect(try await sessions.endVouched(by: "t1", of: andy.user.id, at: bench.now))
        #expect(try await !bench.isAlive(session: "t1"))
        #expect(try await bench.isAlive(session: "t2"))
        #expect(try await !bench.isAlive(vouched))
        #expect(try await !bench.isAlive(selected))
        #expect(try await bench.isAlive(other))
    }

    @Test("M-1: an account with credentials of its own is signed out and not disabled", arguments: Engines.withValues)
    func ownCredentials(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let record = try await bench.provisioned("kim", in: "t1")
        let id = try #require(record.userID)
        try await bench.stores.passwords.set("$argon2id$x", of: id, at: bench.now)
        let account = try #require(try await bench.stores.users.account(id))
        try await bench.openSession(of: account)
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], at: bench.now, off(bench))
        #expect(try await !bench.isAlive(session: "session"))
        let left = try #require(try await bench.stores.users.account(id))
        #expect(left.user.status == .active && left.memberships.tenants.isEmpty)
    }

    @Test("F-31: an account is its owner's unless the organisation made it", arguments: Engines.withValues)
    func independence(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let users = bench.stores.provisionedUsers
        let made = try #require(try await bench.provisioned("made", in: "t1").userID)
        #expect(try await !users.isIndependent(made, of: "t1", connections: ["c"]))
        let adopted = try await bench.user("kim@a.example")
        _ = try await bench.provisioned("kim", in: "t1", nil, bench.profile("kim@a.example", isProven: true))
        #expect(try await users.isIndependent(adopted.user.id, of: "t1", connections: []))
        #expect(try await users.isIndependent(adopted.user.id, of: "t1", connections: ["c"]))
        let plain = try await bench.user("bob@a.example")
        #expect(try await !users.isIndependent(plain.user.id, of: "t1", connections: ["c"]))
        func link(_ subject: String, isByOwner: Bool) async throws {
            let key = FederatedIdentity.Key(connectionID: "c", issuer: "https://i", subject: subject)
            let identity = FederatedIdentity(
                key: key, userID: plain.user.id, linkedAt: bench.now, usedAt: bench.now, isByOwner: isByOwner)
            let epoch = try await bench.epoch(of: plain)
            #expect(try await bench.stores.identities.link(identity, epoch: epoch) == .linked)
        }
        try await link("1", isByOwner: true)
        #expect(try await users.isIndependent(plain.user.id, of: "t1", connections: ["c"]))
        #expect(try await !users.isIndependent(plain.user.id, of: "t1", connections: ["other"]))
        try await link("2", isByOwner: false)
        #expect(try await !users.isIndependent(plain.user.id, of: "t1", connections: ["c"]))
    }

    @Test("a deactivated user who deletes the account stays deactivated", arguments: Engines.withValues)
    func deletedAccount(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        for tenant in ["t1", "t2"] { try await bench.tenant(tenant) }
        let old = try await bench.user("kim@a.example")
        let profile = bench.profile("kim@a.example", isProven: true)
        let record = try await bench.provisioned("kim", in: "t1", bench.content("kim", external: "7"), profile)
        let other = try await bench.provisioned("kim", in: "t2", nil, profile)
        #expect(record.userID == old.user.id && other.userID == old.user.id)
        let change = SCIMUserChange(content: bench.content("kim", external: "7", isActive: false), profile: profile)
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: [], at: bench.now
        ) { _ in .success(change) }
        #expect(try await bench.stores.users.delete(old.user.id, at: bench.now))
        #expect(try await bench.stores.users.account(old.user.id) == nil)
        // The tenant that had not deactivated the user has nothing left of them.
        #expect(try await bench.stores.provisioned.resource(other.id, .user, in: "t2") == nil)
        let names = ProvisionedNames(externalIDs: ["7"], userNames: [], emails: [])
        let match = try #require(
            try await bench.stores.provisionedUsers.match(names, in: "t1", connections: ["acme"]))
        #expect(!match.isActive && match.account.user.status == .disabled)
        #expect(match.account.identifiers.isEmpty && match.account.memberships.tenants.isEmpty)
        // The directory may still say that the person is back.
        let active = SCIMUserChange(content: bench.content("kim", external: "7"), profile: bench.profile())
        _ = try await bench.stores.provisionedUsers.changeUser(
            record.id, in: "t1", connections: ["acme"], at: bench.now
        ) { _ in .success(active) }
        let back = try #require(
            try await bench.stores.provisionedUsers.match(names, in: "t1", connections: ["acme"]))
        #expect(back.isActive && back.isHeldHereAlone && back.account.user.status == .active)
    }
}
