import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: memberships that an identity or another account brought")
struct BroughtMembershipTests {
    /// A user whose identity at a tenant's provider has signed in.
    private static func joined(
        _ engine: any Engine, isByOwner: Bool = true, isMember: Bool = false
    ) async throws -> (Bench, Account, FederatedIdentity.Key) {
        let bench = try await Bench(engine)
        try await bench.tenant("t")
        let andy = try await bench.user()
        if isMember {
            _ = try await bench.stores.users.change(andy.user.id, at: bench.now) { $0.memberships.tenants["t"] = [] }
        }
        let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
        let identity = FederatedIdentity(
            key: key, userID: andy.user.id, linkedAt: bench.now, usedAt: bench.now, isByOwner: isByOwner)
        try #require(try await bench.stores.identities.link(identity, epoch: andy.user.epoch) == .linked)
        let use = IdentityUse(key: key, email: nil, name: nil, tenantID: "t", address: nil)
        _ = try await bench.stores.identities.use(use, of: andy.user.id, at: bench.now + 5) { account, _ in
            if account.memberships.tenants["t"] == nil { account.memberships.tenants["t"] = [] }
            return []
        }
        try #require(try await tenants(of: andy, bench) == ["t"])
        return (bench, andy, key)
    }

    private static func tenants(of account: Account, _ bench: Bench) async throws -> [String] {
        try #require(try await bench.stores.users.account(account.user.id)).memberships.tenants.keys.sorted()
    }

    @Test(arguments: Engines.withValues, [true, false])
    func `an identity brings back no membership that ended, unless its owner connected it`(
        _ engine: any Engine, isByOwner: Bool
    ) async throws {
        let (bench, andy, key) = try await Self.joined(engine, isByOwner: isByOwner)
        let use = IdentityUse(key: key, email: nil, name: nil, tenantID: "t", address: nil)
        let join: IdentityRule = { account, _ in
            account.memberships.tenants["t"] = []
            return []
        }
        _ = try await bench.stores.identities.use(use, of: andy.user.id, at: bench.now + 6, join)
        _ = try await bench.stores.users.change(andy.user.id, at: bench.now + 7) { $0.memberships = .none }
        if isByOwner {
            var use = use
            use.endsAbsence = true
            _ = try await bench.stores.identities.use(use, of: andy.user.id, at: bench.now + 8, join)
        } else {
            let refusal = try await bench.refusal {
                _ = try await bench.stores.identities.use(use, of: andy.user.id, at: bench.now + 8, join)
            }
            #expect(refusal == .missing)
        }
        #expect(try await Self.tenants(of: andy, bench) == (isByOwner ? ["t"] : []))
    }

    @Test(arguments: Engines.withValues)
    func `an account that changes hands is no member by what the stranger set up`(_ engine: any Engine) async throws {
        for isMember in [false, true] {
            let (bench, andy, _) = try await Self.joined(engine, isMember: isMember)
            _ = try await bench.stores.users.change(andy.user.id, at: bench.now + 6) { $0.user.claims["name"] = "A" }
            try await bench.stores.passwords.void(andy.user.id, keeping: nil, at: bench.now + 9)
            #expect(try await Self.tenants(of: andy, bench) == (isMember ? ["t"] : []))
        }
    }

    @Test(arguments: Engines.withValues)
    func `a dispute ends what came since the sign-in`(_ engine: any Engine) async throws {
        for (seconds, goes) in [(5, true), (6, false)] as [(Int64, Bool)] {
            let (bench, andy, _) = try await Self.joined(engine)
            let start = bench.now + seconds
            let dispute = SignInDispute(
                digest: bench.digest("mark"), userID: andy.user.id, signedInAt: start, startedAt: start,
                expiresAt: bench.now + 100)
            #expect(
                try await bench.stores.risks.dispute(
                    dispute, event: AuditEvent(.signInDisputed, at: bench.now), at: bench.now + 9))
            #expect(try await Self.tenants(of: andy, bench) == (goes ? [] : ["t"]))
        }
    }

    @Test(arguments: Engines.withValues)
    func `a user who disconnects what they had connected leaves, one whom the provider made does not`(
        _ engine: any Engine
    ) async throws {
        for (isByOwner, isMember, hasDirectory, stays) in [
            (true, false, false, false), (false, false, false, true), (true, true, false, true),
            (true, false, true, true),
        ] {
            let (bench, andy, key) = try await Self.joined(engine, isByOwner: isByOwner, isMember: isMember)
            if hasDirectory {
                let address = try #require(andy.identifiers.keys.first)
                let record = try await bench.provisioned(
                    "andy", in: "t", nil, bench.profile(address.value, isProven: true))
                try #require(record.userID == andy.user.id)
            }
            let unlinked = try await bench.stores.identities.unlink(
                key, of: andy.user.id, leaving: .passwords, at: bench.now + 9)
            #expect(unlinked == .unlinked)
            #expect(try await Self.tenants(of: andy, bench) == (stays ? ["t"] : []))
        }
    }

    @Test(arguments: Engines.withValues)
    func `a merge brings memberships, and makes identities the owner's`(_ engine: any Engine) async throws {
        let (bench, andy, key) = try await Self.joined(engine, isByOwner: false)
        let bea = try await bench.user("bea@example.com")
        let other = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "former")
        let former = FederatedIdentity(key: other, userID: andy.user.id, linkedAt: bench.now, usedAt: bench.now)
        try #require(try await bench.stores.identities.link(former, epoch: andy.user.epoch) == .linked)
        _ = try await bench.stores.identities.unlink(other, of: andy.user.id, leaving: .passwords, at: bench.now + 6)
        let merged = try await bench.stores.users.merge(
            asking: bea.user.id, existing: andy.user.id, proved: try bench.identifier("andy@example.com"),
            keeping: .asking, at: bench.now + 7)
        #expect(merged.memberships.tenants.keys.sorted() == ["t"])
        #expect(try await bench.stores.identities.identity(key)?.isByOwner == true)
        #expect(
            try await bench.stores.provisionedUsers.isIndependent(bea.user.id, of: "t", connections: ["c"]),
            "the account of before is no user of the organisation's alone")
        try await bench.stores.passwords.void(bea.user.id, keeping: nil, at: bench.now + 9)
        #expect(try await Self.tenants(of: bea, bench) == [], "it stays brought")
    }
}
