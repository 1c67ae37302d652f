import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: tenants")
struct TenantTests {
    @Test(arguments: Engines.withValues)
    func `tenants come back as they were, ordered by identifier, and each identifier once`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let tenants = bench.stores.tenants
        let stored = ["b", "a", "Z"].map {
            Tenant(
                id: $0, name: "It's \($0)", selfProvisioningDomains: ["example.com"], attributes: ["plan": "gold"],
                createdAt: bench.now)
        }
        for tenant in stored { try await tenants.create(tenant) }
        #expect(try await tenants.all(limit: 9) == [stored[2], stored[1], stored[0]], "in the order of their bytes")
        #expect(try await tenants.all(limit: 2).count == 2)
        #expect(try await bench.refusal { try await tenants.create(stored[0]) } == .conflict)
        var changed = stored[0]
        (changed.name, changed.selfProvisioningDomains, changed.attributes) = ("B", [], [:])
        try await tenants.update(changed)
        #expect(try await tenants.all(limit: 9).last == changed)
        let other = Tenant(id: "other", name: "O", createdAt: bench.now)
        #expect(try await bench.refusal { try await tenants.update(other) } == .missing)
    }

    @Test(arguments: Engines.withValues)
    func `with a tenant its roles and memberships go; its users and their sessions stay`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let stores = bench.stores
        for id in ["t1", "t2"] { try await stores.tenants.create(Tenant(id: id, name: id, createdAt: bench.now)) }
        try await stores.roles.create(
            Role(id: "r", tenantID: "t1", name: "reader", permissions: [], createdAt: bench.now))
        var andy = try bench.account("andy")
        andy.memberships.tenants = ["t1": ["r"], "t2": []]
        try await stores.users.create(andy, authenticator: nil)
        let grant = try await bench.openGrant(of: andy)
        #expect(try await stores.grants.select(tenant: "t1", of: grant.id, at: bench.now))
        #expect(try await stores.tenants.delete("t1", at: bench.now))
        #expect(try await !stores.tenants.delete("t1", at: bench.now))
        #expect(try await stores.roles.roles(limit: 9).isEmpty)
        #expect(try await stores.users.account(andy.user.id)?.memberships.tenants == ["t2": []])
        let presented = try #require(try await stores.grants.presented(grant.id, at: bench.now))
        #expect(presented.account.memberships.tenants == ["t2": []], "its tokens name the tenants of the user")
        #expect(presented.grant.tenantID == nil, "another tenant of its name is not selected")
    }

    @Test(arguments: Engines.withValues)
    func `what a tenant vouched for ends with it, whoever's that is, and nothing else does`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        for id in ["t1", "t2"] { try await bench.tenant(id) }
        let andy = try await bench.user("andy@example.com")
        let bea = try await bench.user("bea@example.com")
        var (ended, kept): ([Grant], [Grant]) = ([], [])
        for (name, user) in [("andy", andy), ("bea", bea)] {
            for tenant in ["t1", "t2"] {
                #expect(try await bench.mayOpen(user, "\(name) \(tenant)", vouchedBy: tenant))
            }
            ended.append(try await bench.vouchedGrant(of: user, by: "t1"))
            kept.append(try await bench.vouchedGrant(of: user, by: "t2"))
            kept.append(try await bench.vouchedGrant(of: user))
        }
        try await bench.openSession(of: andy, "own")
        #expect(try await bench.stores.tenants.delete("t1", at: bench.now))
        try await bench.tenant("t1")
        for name in ["andy", "bea"] {
            #expect(try await !bench.isAlive(session: "\(name) t1"))
            #expect(try await bench.isAlive(session: "\(name) t2"))
        }
        #expect(try await bench.isAlive(session: "own"))
        for grant in ended { #expect(try await !bench.isAlive(grant)) }
        for grant in kept { #expect(try await bench.isAlive(grant)) }
        #expect(try await !bench.stores.tenants.delete("none", at: bench.now))
    }

    @Test(arguments: Engines.withValues)
    func `of a hundred tenants of one identifier one is made`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let made = try await bench.race { stores, number in
            try await bench.refusal {
                try await stores.tenants.create(Tenant(id: "t", name: "\(number)", createdAt: bench.now))
            }
        }
        #expect(made.count { $0 == nil } == 1 && made.count { $0 == .conflict } == 99)
    }
}
