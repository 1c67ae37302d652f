import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: an identity that its user disconnected")
struct DisconnectedIdentityTests {
    private static let key = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "s")
    private static let other = FederatedIdentity.Key(connectionID: "c", issuer: "i", subject: "other")

    private static func link(_ user: Account, _ bench: Bench, at now: UnixTime? = nil) async throws {
        let now = now ?? bench.now
        let identity = FederatedIdentity(
            key: key, userID: user.user.id, linkedAt: now, usedAt: now, isByOwner: true)
        let epoch = try await bench.epoch(of: user)
        try #require(try await bench.stores.identities.link(identity, epoch: epoch) == .linked)
    }

    private static func unlink(_ user: Account, _ bench: Bench) async throws {
        let done = try await bench.stores.identities.unlink(
            key, of: user.user.id, leaving: .passwords, at: bench.now)
        try #require(done == .unlinked)
    }

    private static func dispute(_ user: Account, since time: UnixTime, _ bench: Bench) async throws {
        let dispute = SignInDispute(
            digest: bench.digest("dispute"), userID: user.user.id, signedInAt: time, startedAt: time,
            expiresAt: time + 86_400)
        let event = AuditEvent(.signInDisputed, at: time, userID: user.user.id)
        try #require(try await bench.stores.risks.dispute(dispute, event: event, at: time + 60))
    }

    @Test(arguments: Engines.withValues)
    func `stays disconnected, whatever another account does with it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (pat, eve) = (try await bench.user("pat@a.example"), try await bench.user("eve@a.example"))
        try await Self.link(pat, bench)
        try await Self.unlink(pat, bench)
        let identities = bench.stores.identities
        func isRemembered() async throws -> Bool {
            try await identities.hasIdentity(pat.user.id, at: "c", besides: Self.other)
        }
        #expect(try await isRemembered())
        #expect(try await identities.wasUnlinked(Self.key))
        try await Self.link(eve, bench)
        #expect(try await isRemembered())
        try await Self.unlink(eve, bench)
        #expect(try await isRemembered())
        try await Self.link(eve, bench)
        try #require(try await bench.stores.users.delete(eve.user.id, at: bench.now))
        #expect(try await isRemembered())
        #expect(try await identities.wasUnlinked(Self.key))
        try await Self.link(pat, bench)
        #expect(try await !identities.wasUnlinked(Self.key), "its user has it again")
    }

    @Test(arguments: Engines.withValues)
    func `is disconnected again by a dispute of the sign-in that connected it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let pat = try await bench.user("pat@a.example")
        try await Self.link(pat, bench)
        try await Self.unlink(pat, bench)
        try await Self.link(pat, bench, at: bench.now + 100)
        try await Self.dispute(pat, since: bench.now + 100, bench)
        #expect(try await bench.stores.identities.identity(Self.key) == nil)
        #expect(try await bench.stores.identities.wasUnlinked(Self.key))
    }

    @Test(arguments: Engines.withValues)
    func `goes along once if both accounts of a merge disconnected it`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (pat, eve) = (try await bench.user("pat@a.example"), try await bench.user("eve@a.example"))
        for user in [pat, eve] {
            try await Self.link(user, bench)
            try await Self.unlink(user, bench)
        }
        _ = try await bench.stores.users.merge(
            asking: pat.user.id, existing: eve.user.id, proved: try bench.identifier("eve@a.example"),
            keeping: .asking, at: bench.now)
        #expect(try await bench.stores.identities.wasUnlinked(Self.key))
        #expect(try await bench.stores.identities.hasIdentity(pat.user.id, at: "c", besides: Self.other))
    }
}
