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
}
