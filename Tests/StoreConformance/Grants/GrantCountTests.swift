import KeyturnBase
import Model
import Testing

@Suite("Store: how many grants a client has")
struct GrantCountTests {
    @Test(arguments: Engines.withValues)
    func `the live grants of a client are counted, up to a number`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        let (andy, grants) = (try await bench.user(), bench.stores.grants)
        for _ in 0..<3 { _ = try await bench.openGrant(of: andy) }
        _ = try await bench.openGrant(of: andy, client: "other")
        _ = try await bench.addGrant(of: andy)
        #expect(try await grants.count(ofClient: "web", upTo: 9, at: bench.now) == 3, "one waits for its code")
        #expect(try await grants.count(ofClient: "web", upTo: 2, at: bench.now) == 2)
        #expect(try await grants.count(ofClient: "none", upTo: 9, at: bench.now) == 0)
        #expect(try await grants.count(ofClient: "web", upTo: 9, at: bench.now + 1_000) == 0, "they have expired")
    }

    @Test(arguments: Engines.withValues)
    func `no client hides behind the grants of another, and one client's grants end together`(_ engine: any Engine)
        async throws
    {
        let bench = try await Bench(engine)
        let (andy, bea) = (try await bench.user(), try await bench.user("bea@example.com"))
        let (grants, now) = (bench.stores.grants, bench.now)
        let old = try await bench.openGrant(of: andy, client: "old", at: now - 9)
        for age in 1...4 { _ = try await bench.openGrant(of: andy, client: "web", at: now - Int64(age)) }
        let others = try await bench.openGrant(of: bea, client: "web", at: now)
        let listed = try await grants.grants(of: andy.user.id, limit: 3, at: now)
        #expect(listed.map(\.clientID) == ["web", "web", "old"])
        #expect(listed.map(\.createdAt) == [now - 1, now - 2, now - 9])
        #expect(try await grants.endAll(of: andy.user.id, clientID: "web", reason: .revoked, at: now) == 4)
        #expect(try await grants.endAll(of: andy.user.id, clientID: "web", reason: .revoked, at: now) == 0)
        #expect(try await grants.grants(of: andy.user.id, limit: 3, at: now).map(\.id) == [old.id])
        #expect(try await bench.isAlive(others))
    }
}
