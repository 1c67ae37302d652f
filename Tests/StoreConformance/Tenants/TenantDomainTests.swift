import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: domains of tenants")
struct TenantDomainTests {
    private func claim(_ name: String, of tenant: String, _ bench: Bench) throws -> TenantDomain {
        TenantDomain(
            tenantID: tenant, domain: try #require(EmailDomain(name)), state: .pending, token: "token of \(tenant)",
            claimedAt: bench.now)
    }

    @Test(
        "F-30: a claim is no proof; a second tenant gets the domain only by its own, and the first loses it",
        arguments: Engines.withValues)
    func claims(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        let domains = bench.stores.tenantDomains
        let one = try claim("a.example", of: "t1", bench)
        let other = try claim("a.example", of: "t2", bench)
        let domain = one.domain
        #expect(try await domains.claim(one) == one)
        #expect(try await domains.claim(other) == other)
        for tenant in ["t1", "t2"] { #expect(try await domains.holder(of: domain) != tenant) }
        let again = TenantDomain(
            tenantID: "t1", domain: domain, state: .pending, token: "another", claimedAt: bench.now + 9)
        #expect(try await domains.claim(again) == one, "the token stays")
        #expect(try await domains.settle(domain, of: "t1", as: .proven, at: bench.now + 1) == nil)
        #expect(try await domains.holder(of: domain) == "t1")
        #expect(try await domains.holder(of: domain) != "t2")
        #expect(try await domains.settle(domain, of: "t2", as: .trusted, at: bench.now + 2) == "t1")
        #expect(try await domains.holder(of: domain) != "t1")
        #expect(try await domains.holder(of: domain) == "t2")
        #expect(try await domains.domains(of: "t1", limit: 9).map(\.state) == [.lost])
        #expect(try await domains.domains(of: nil, limit: 9).map(\.state) == [.lost, .trusted])
        #expect(try await domains.domains(of: "t2", limit: 9).first?.provenAt == bench.now + 2)
        #expect(try await domains.remove(domain, of: "t2"))
        #expect(try await !domains.remove(domain, of: "t2"))
        #expect(try await domains.holder(of: domain) != "t2")
        #expect(
            try await bench.refusal { _ = try await domains.settle(domain, of: "t2", as: .proven, at: bench.now) }
                == .missing)
        let lost = try claim("b.example", of: "t3", bench)
        #expect(try await bench.refusal { _ = try await domains.claim(lost) } == .missing)
    }

    @Test("F-33: a domain is exactly itself", arguments: Engines.withValues)
    func labels(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        let domains = bench.stores.tenantDomains
        let own = try claim("a.example", of: "t1", bench)
        _ = try await domains.claim(own)
        _ = try await domains.settle(own.domain, of: "t1", as: .proven, at: bench.now)
        for name in ["a.example.evil.example", "evila.example", "x.a.example", "example.a"] {
            let other = try #require(EmailDomain(name))
            #expect(try await domains.holder(of: other) != "t1", "\(name)")
        }
        let spelled = try #require(EmailDomain("A.Example"))
        #expect(try await domains.holder(of: spelled) == "t1")
        for number in 1..<Limits.domainsOfTenantMax {
            let more = try claim("d\(number).example", of: "t1", bench)
            #expect(try await domains.claim(more) != nil)
        }
        let last = try claim("more.example", of: "t1", bench)
        #expect(try await domains.claim(last) == nil)
    }
}
