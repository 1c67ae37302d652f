import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: the roles of two accounts that become one")
struct MergedRoleTests {
    /// A tenant whose directory has the account that goes, in a group with a role. The account has another role, too.
    private static func bench(_ engine: any Engine) async throws -> (Bench, stays: Account, goes: Account) {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        for role in ["keeper", "own"] { try await bench.role(role, in: "t1") }
        let (stays, goes) = (try await bench.user("ann@example.com"), try await bench.user("ann-admin@example.com"))
        let record = try await bench.provisioned(
            "ann-admin", in: "t1", nil, bench.profile("ann-admin@example.com", isProven: true))
        try #require(record.userID == goes.user.id)
        let group = try await bench.group("keepers", in: "t1", members: [record.id])
        try await bench.stores.provisionedGroups.map(group.id, in: "t1", to: "keeper", at: bench.now)
        _ = try await bench.stores.users.change(goes.user.id, at: bench.now) {
            $0.memberships.add(role: "own", in: "t1")
        }
        try #require(try await bench.memberships(record) == ["t1": ["keeper", "own"]])
        return (bench, stays, goes)
    }

    /// - Returns: the roles of the account that stays, in the tenant.
    private static func merged(
        _ goes: Account, into stays: Account, _ kept: UserMerge.Kept, _ bench: Bench
    ) async throws -> [String]? {
        let (asking, existing) = kept == .asking ? (stays, goes) : (goes, stays)
        let merged = try await bench.stores.users.merge(
            asking: asking.user.id, existing: existing.user.id, proved: try #require(existing.identifiers.keys.first),
            keeping: kept, at: bench.now)
        let stored = try #require(try await bench.stores.users.account(stays.user.id))
        #expect(merged.memberships == stored.memberships)
        return stored.memberships.tenants["t1"]?.sorted()
    }

    @Test(arguments: Engines.withValues, [UserMerge.Kept.asking, .existing])
    func `a group's role ends if the directory has both accounts, and goes along if it has one`(
        _ engine: any Engine, _ kept: UserMerge.Kept
    ) async throws {
        for hasBoth in [false, true] {
            let (bench, stays, goes) = try await Self.bench(engine)
            if hasBoth {
                let record = try await bench.provisioned(
                    "ann", in: "t1", nil, bench.profile("ann@example.com", isProven: true))
                try #require(record.userID == stays.user.id)
            }
            let roles = try await Self.merged(goes, into: stays, kept, bench)
            #expect(roles == (hasBoth ? ["own"] : ["keeper", "own"]))
        }
    }

    @Test(arguments: Engines.withValues)
    func `a role that a provider gives as well goes along`(_ engine: any Engine) async throws {
        let (bench, stays, goes) = try await Self.bench(engine)
        _ = try await bench.provisioned("ann", in: "t1", nil, bench.profile("ann@example.com", isProven: true))
        let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
        let identity = FederatedIdentity(key: key, userID: goes.user.id, linkedAt: bench.now, usedAt: bench.now)
        let epoch = try await bench.epoch(of: goes)
        #expect(try await bench.stores.identities.link(identity, epoch: epoch) == .linked)
        let use = IdentityUse(key: key, email: nil, name: "Ann", tenantID: "t1")
        _ = try await bench.stores.identities.use(use, of: goes.user.id, at: bench.now) { _, _ in ["keeper"] }
        #expect(try await Self.merged(goes, into: stays, .asking, bench) == ["keeper", "own"])
    }
}
