import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Domains that move from one tenant to another")
struct DomainTransferTests {
    private func configure(_ server: TestServer, _ tenant: String) async throws -> Int {
        let settings: JSONValue = [
            "name": "Corp", "clientId": "client", "clientSecret": "secret", "issuer": "https://login.example",
            "scope": ["openid", "email"], "redirectUrl": "https://app.example/sso",
        ]
        return Int(
            try await server.manage(
                "sso/oidc",
                ["tenantId": .string(tenant), "settings": settings, "domains": ["corp.example"]]
            ).status)
    }

    private func prove(_ server: TestServer, _ tenant: String) async throws {
        let domain = try #require(EmailDomain("corp.example"))
        let store = server.services.stores.tenantDomains
        _ = try await store.claim(
            TenantDomain(
                tenantID: tenant, domain: domain, state: .pending, token: "token", claimedAt: server.clock.now))
        _ = try await store.settle(domain, of: tenant, as: .proven, at: server.clock.now)
    }

    /// What the app gets from a sign-in at a tenant's provider.
    private func enter(_ fixture: FederationFixture, _ tenant: String) async throws -> String {
        let server = fixture.server
        let begun = try await server.call("sso/authorize?tenant=\(tenant)", [:])
        let url = try #require(begun.json["url"]?.stringValue)
        let browser = server.browser()
        let gone = try await browser.open(String(url.dropFirst(server.services.project.issuer.count)))
        let id = try #require(server.services.connections.connections(of: tenant).first?.id)
        let back = try await browser.open(
            "/federation/\(id)/callback?state=\(try FederationFixture.handle(gone))&code=c")
        return try #require(back.header("location"))
    }

    @Test func `F-30: a second tenant gets a domain by its proof alone, and no user moves with it`() async throws {
        let tenants = ["t1", "t2"].map { Tenant(id: $0, name: $0, createdAt: UnixTime(rawValue: 0)) }
        let fixture = try await FederationFixture.start(.person(email: "ceo@corp.example"), [], tenants: tenants)
        let server = fixture.server
        try await prove(server, "t1")
        #expect(try await configure(server, "t1") == 200)
        #expect(try await enter(fixture, "t1").contains("code="))
        let before = try #require(try await server.account("ceo@corp.example"))
        // The claim of another tenant changes nothing.
        _ = try await server.services.stores.tenantDomains.claim(
            TenantDomain(
                tenantID: "t2", domain: try #require(EmailDomain("corp.example")), state: .pending, token: "other",
                claimedAt: server.clock.now))
        #expect(try await configure(server, "t2") == 400)
        // Its proof takes the domain from the first one, also where the operator gave his word before.
        var vouched = try #require(server.services.connections.connections(of: "t1").first)
        vouched.vouchedDomains = ["corp.example"]
        #expect(try await server.services.connections.save(vouched, isNew: false) == .saved)
        try await prove(server, "t2")
        #expect(try await configure(server, "t2") == 200)
        #expect(try await enter(fixture, "t2").contains("err=sign_in_required"))
        let after = try #require(try await server.account("ceo@corp.example"))
        #expect(after == before && after.memberships.tenants["t2"] == nil)
        // The user whom the first tenant knows signs in there, and no new one does.
        #expect(try await enter(fixture, "t1").contains("code="))
        fixture.provider.says(.person("another", email: "new@corp.example"))
        #expect(try await enter(fixture, "t1").contains("err=foreign_domain"))
        #expect(try await enter(fixture, "t2").contains("code="))
        await server.stop()
    }
}
