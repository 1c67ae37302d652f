import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: tokens of provisioning clients")
struct ProvisioningTokenTests {
    @Test("M-16: two tokens are good at once, each for its tenant and until it ends", arguments: Engines.withValues)
    func rotation(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        let tokens = bench.stores.provisioningTokens
        let old = SCIMToken(id: "old", tenantID: "t1", name: "Entra", createdAt: bench.now)
        let new = SCIMToken(
            id: "new", tenantID: "t1", name: "Entra", createdAt: bench.now + 1, expiresAt: bench.now + 100)
        #expect(try await tokens.create(old, digest: bench.digest("old")))
        #expect(try await tokens.create(new, digest: bench.digest("new")))
        #expect(try await tokens.use(bench.digest("old"), at: bench.now) == old)
        #expect(try await tokens.use(bench.digest("new"), at: bench.now + 99)?.id == "new")
        #expect(try await tokens.use(bench.digest("new"), at: bench.now + 100) == nil)
        #expect(try await tokens.use(bench.digest("other"), at: bench.now) == nil)
        #expect(try await tokens.tokens(of: "t1").map(\.usedAt) == [bench.now, bench.now + 99])
        _ = try await tokens.use(bench.digest("old"), at: bench.now + 59)
        #expect(try await tokens.tokens(of: "t1").first?.usedAt == bench.now, "once a minute")
        #expect(try await tokens.tokens(of: "t2").isEmpty)
        #expect(try await !tokens.revoke("old", of: "t2"))
        #expect(try await tokens.revoke("old", of: "t1"))
        #expect(try await tokens.use(bench.digest("old"), at: bench.now) == nil)
        let lost = SCIMToken(id: "x", tenantID: "t3", name: "", createdAt: bench.now)
        #expect(try await bench.refusal { _ = try await tokens.create(lost, digest: bench.digest("x")) } == .missing)
        for number in 1..<Limits.scimTokensMax {
            let more = SCIMToken(id: "\(number)", tenantID: "t1", name: "", createdAt: bench.now)
            #expect(try await tokens.create(more, digest: bench.digest("\(number)")))
        }
        let many = SCIMToken(id: "many", tenantID: "t1", name: "", createdAt: bench.now)
        #expect(try await !tokens.create(many, digest: bench.digest("many")))
    }
}
