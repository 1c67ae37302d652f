import Authority
import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: roles that providers give")
struct ProvidedRoleStoreTests {
    private static func identity(_ account: Account, _ bench: Bench, at connection: String) -> FederatedIdentity {
        FederatedIdentity(
            key: FederatedIdentity.Key(connectionID: connection, issuer: "https://provider.example", subject: "s"),
            userID: account.user.id, linkedAt: bench.now, usedAt: bench.now)
    }

    /// Signs in by an identity that gives these roles.
    private static func use(
        _ identity: FederatedIdentity, _ bench: Bench, giving roles: [String], in tenant: String? = nil,
        address: Identifier? = nil, _ seen: @escaping @Sendable (IdentityUseFacts) -> Void = { _ in }
    ) async throws -> Account {
        let use = IdentityUse(
            key: identity.key, email: "a@b.example", name: "A", tenantID: tenant,
            address: address)
        return try await bench.stores.identities.use(use, of: identity.userID, at: bench.now + 1) { account, facts in
            seen(facts)
            let provided = ProvidedRoles(tenantID: tenant, mapped: ["r1", "r2"], wanted: Set(roles))
            return provided.apply(
                to: &account.memberships, before: facts.identity.providedRoles, elsewhere: facts.rolesElsewhere)
        }
    }

    private static func held(_ account: Account, _ bench: Bench, in tenant: String? = nil) async throws -> [String] {
        try #require(try await bench.stores.users.account(account.user.id)).memberships.roles(in: tenant).sorted()
    }

    private static func bench(_ engine: any Engine, _ tenant: String?) async throws -> (Bench, Account) {
        let bench = try await Bench(engine)
        try await bench.tenant("t")
        for role in ["r1", "r2"] {
            try await bench.stores.roles.create(
                Role(id: role, tenantID: tenant, name: role, permissions: [], createdAt: bench.now))
        }
        let andy = try await bench.user()
        if let tenant {
            _ = try await bench.stores.users.change(andy.user.id, at: bench.now) { $0.memberships.tenants[tenant] = [] }
        }
        return (bench, andy)
    }

    @Test(arguments: Engines.withValues)
    func `a sign-in records what the provider gives, and changes the user in the same transaction`(
        _ engine: any Engine
    ) async throws {
        for tenant in [nil, "t"] as [String?] {
            let (bench, andy) = try await Self.bench(engine, tenant)
            let identity = Self.identity(andy, bench, at: "c")
            #expect(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
            #expect(
                try await Self.use(identity, bench, giving: ["r1"], in: tenant).memberships.roles(in: tenant) == ["r1"])
            let kept = try #require(try await bench.stores.identities.identity(identity.key))
            #expect(kept.providedRoles == ["r1"] && kept.providedIn == tenant && kept.usedAt == bench.now + 1)
            #expect(try await Self.held(andy, bench, in: tenant) == ["r1"])
            #expect(try await Self.use(identity, bench, giving: [], in: tenant).memberships.roles(in: tenant) == [])
        }
    }

    @Test(arguments: Engines.withValues)
    func `an identity that is gone, or another user's, changes no one`(_ engine: any Engine) async throws {
        let (bench, andy) = try await Self.bench(engine, nil)
        let bea = try await bench.user("bea@example.com")
        let identity = Self.identity(andy, bench, at: "c")
        await #expect(throws: StoreError.self) { _ = try await Self.use(identity, bench, giving: ["r1"]) }
        #expect(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
        var wrong = identity
        wrong = FederatedIdentity(
            key: identity.key, userID: bea.user.id, linkedAt: identity.linkedAt, usedAt: identity.usedAt)
        await #expect(throws: StoreError.self) { _ = try await Self.use(wrong, bench, giving: ["r1"]) }
        #expect(try await Self.held(bea, bench) == [])
    }

    @Test(arguments: Engines.withValues)
    func `an unlinked identity takes its roles along, but for those of another source`(_ engine: any Engine)
        async throws
    {
        for tenant in [nil, "t"] as [String?] {
            let (bench, andy) = try await Self.bench(engine, tenant)
            for (connection, roles) in [("c", ["r1", "r2"]), ("d", ["r2"])] {
                let identity = Self.identity(andy, bench, at: connection)
                #expect(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
                _ = try await Self.use(identity, bench, giving: roles, in: tenant)
            }
            let ways = SignInWays.connections(["c", "d"])
            let unlinked = try await bench.stores.identities.unlink(
                Self.identity(andy, bench, at: "c").key, of: andy.user.id, leaving: ways, at: bench.now)
            #expect(unlinked == .unlinked)
            #expect(try await Self.held(andy, bench, in: tenant) == ["r2"])
            try await bench.stores.passwords.void(andy.user.id, keeping: nil, at: bench.now)
            #expect(try await Self.held(andy, bench, in: tenant) == [])
        }
    }

    @Test(arguments: Engines.withValues)
    func `a role in the console that removes an identity takes the roles that it gave`(_ engine: any Engine)
        async throws
    {
        for tenant in [nil, "t"] as [String?] {
            let (bench, andy) = try await Self.bench(engine, tenant)
            let identity = Self.identity(andy, bench, at: "c")
            #expect(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
            _ = try await Self.use(identity, bench, giving: ["r1"], in: tenant)
            let standing = OperatorStanding(user: "another", role: .operator, isRecent: true, actingRoles: [])
            let subject = try #require(try await bench.stores.users.account(andy.user.id)).subject
            _ = try await bench.stores.passwords.set(
                PasswordChange(hash: "an operator's", origin: .strong, historyMax: 0),
                by: try Rulebook(AuthorityPolicy()).permit(
                    Acts.SetPassword.self, to: .operator(standing), on: subject), at: bench.now)
            #expect(try await Self.held(andy, bench, in: tenant) == ["r1"])
            let given = try await bench.stores.consoleOperators.set(
                .viewer, of: andy.user.id, by: "root", knownBy: andy.provedAddresses.first, keepingOwner: false,
                at: bench.now)
            #expect(given == .changed(from: nil, isVoided: true))
            #expect(try await Self.held(andy, bench, in: tenant) == [])
        }
    }

    @Test(arguments: Engines.withValues)
    func `with a connection, or its tenant, its identities and the roles that nothing else gives go`(
        _ engine: any Engine
    ) async throws {
        for tenant in [nil, "t"] as [String?] {
            let (bench, andy) = try await Self.bench(engine, nil)
            for (connection, roles) in [("c", ["r1", "r2"]), ("d", ["r2"])] {
                let stored = StoredConnection(id: connection, tenantID: connection == "c" ? tenant : nil, sealed: [1])
                #expect(try await bench.stores.connections.create(stored, max: 9))
                let identity = Self.identity(andy, bench, at: connection)
                #expect(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
                _ = try await Self.use(identity, bench, giving: roles)
            }
            if let tenant {
                #expect(try await bench.stores.tenants.delete(tenant, at: bench.now))
            } else {
                #expect(try await bench.stores.connections.delete("c", at: bench.now))
            }
            let left = try await bench.stores.identities.identities(of: andy.user.id)
            #expect(left.map(\.key.connectionID) == ["d"])
            #expect(try await Self.held(andy, bench) == ["r2"])
            // A sign-in that was under way meanwhile.
            let late = Self.identity(andy, bench, at: "c")
            #expect(try await bench.stores.identities.link(late, epoch: bench.epoch(of: andy)) == .linked)
            #expect(try await !bench.stores.connections.delete("c", at: bench.now))
            #expect(try await bench.stores.identities.identity(late.key) == nil)
        }
    }

    @Test(arguments: Engines.withValues)
    func `roles of a connection are withdrawn a few users at a time`(_ engine: any Engine) async throws {
        let (bench, andy) = try await Self.bench(engine, nil)
        let bea = try await bench.user("bea@example.com")
        for (number, account) in [andy, bea].enumerated() {
            let identity = FederatedIdentity(
                key: FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "\(number)"),
                userID: account.user.id, linkedAt: bench.now, usedAt: bench.now)
            #expect(try await bench.stores.identities.link(identity, epoch: account.user.epoch) == .linked)
            _ = try await Self.use(identity, bench, giving: ["r1", "r2"])
        }
        let connections = bench.stores.connections
        #expect(try await connections.withdrawRoles(of: "other", limit: 1) == nil)
        let last = try await connections.withdrawRoles(of: "c", besides: ["r2"], limit: 1)
        #expect(last?.subject == "0")
        #expect(try await Self.held(andy, bench) == ["r2"])
        #expect(try await Self.held(bea, bench) == ["r1", "r2"])
        #expect(try await connections.withdrawRoles(of: "c", besides: ["r2"], after: last, limit: 9) == nil)
        #expect(try await Self.held(bea, bench) == ["r2"])
        #expect(try await connections.withdrawRoles(of: "c", limit: 9) == nil)
        for account in [andy, bea] { #expect(try await Self.held(account, bench) == []) }
    }

    @Test(arguments: Engines.withValues)
    func `what is known while a user is changed: others' addresses, groups and directories`(_ engine: any Engine)
        async throws
    {
        let (bench, andy) = try await Self.bench(engine, "t")
        let bea = try await bench.user("bea@example.com")
        _ = try await bench.stores.users.change(bea.user.id, at: bench.now) {
            $0.set(.email, "beas-contact@example.com", isVerified: true)
        }
        let eva = try await bench.user("eva@example.com")
        _ = try await bench.stores.users.change(eva.user.id, at: bench.now) {
            $0.set(.email, "claimed@example.com", isVerified: false)
        }
        _ = try await bench.stores.users.change(andy.user.id, at: bench.now) {
            $0.set(.email, "andys-contact@example.com", isVerified: true)
        }
        let identity = Self.identity(andy, bench, at: "c")
        #expect(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
        for (name, isFree) in [
            ("bea@example.com", false), ("beas-contact@example.com", false), ("new@example.com", true),
            ("claimed@example.com", true), ("andys-contact@example.com", true),
        ] {
            _ = try await Self.use(identity, bench, giving: [], in: "t", address: Identifier(loginID: name)) {
                #expect($0.isAddressFree == isFree && !$0.isProvisioned && $0.rolesElsewhere == [])
            }
        }
        let address = try #require(andy.identifiers.keys.first)
        let record = try await bench.provisioned("andy", in: "t", nil, bench.profile(address.value, isProven: true))
        #expect(record.userID == andy.user.id)
        let group = try await bench.group("crew", in: "t", members: [record.id])
        try await bench.stores.provisionedGroups.map(group.id, in: "t", to: "r2", at: bench.now)
        _ = try await Self.use(identity, bench, giving: ["r1"], in: "t", address: address) {
            #expect($0.isAddressFree && $0.isProvisioned && $0.rolesElsewhere == ["r2"])
        }
        #expect(try await Self.held(andy, bench, in: "t") == ["r1", "r2"])
        #expect(try await bench.stores.identities.hasIdentity(andy.user.id, at: "c", besides: nil))
        #expect(try await !bench.stores.identities.hasIdentity(andy.user.id, at: "d", besides: nil))
    }
}
