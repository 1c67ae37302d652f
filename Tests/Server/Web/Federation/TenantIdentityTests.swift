import Identity
import KeyturnBase
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Identities and roles of an organisation's provider")
struct TenantIdentityTests {
    private static let start = UnixTime(rawValue: 0)
    private static let tenants = ["T1", "T2"].map { Tenant(id: $0, name: $0, createdAt: start) }

    private static func role(_ name: String, of tenant: String?) -> Role {
        Role(id: "\(name)-\(tenant ?? "all")", tenantID: tenant, name: name, permissions: [], createdAt: start)
    }

    @Test func `F-28: one issuer and subject at two organisations are two identities`() async throws {
        let fixture = try await FederationFixture.start(
            .person(email: "kim@a.example"),
            [
                .scripted("a-sso", tenant: "T1", domains: ["a.example"]),
                .scripted("b-sso", tenant: "T2", domains: ["b.example"]),
            ], tenants: Self.tenants)
        _ = try await fixture.pass(fixture.server.browser(), at: "a-sso")
        let own = try #require(try await fixture.holder(at: "a-sso"))
        // The other organisation's provider repeats issuer and subject, with and without the address.
        for email in ["kim@a.example", nil, "kim@b.example"] {
            fixture.provider.says(.person(email: email))
            _ = try await fixture.pass(fixture.server.browser(), at: "b-sso")
            #expect(try await fixture.holder(at: "b-sso") != own)
        }
        #expect(try await fixture.server.account("kim@a.example")?.memberships.tenants.keys.sorted() == ["T1"])
        await fixture.server.stop()
    }

    @Test func `F-41, F-42: only mapped groups give roles, of the tenant alone, and take them away again`() async throws
    {
        var connection = Connection.scripted("a-sso", tenant: "T1", domains: ["a.example"])
        connection.roles = ["staff": "reader"]
        let fixture = try await FederationFixture.start(
            .person(email: "kim@a.example", groups: ["staff", "owner", "admin"]), [connection], tenants: Self.tenants)
        let services = fixture.server.services
        for role in [
            Self.role("reader", of: "T1"), Self.role("owner", of: "T1"), Self.role("reader", of: "T2"),
            Self.role("admin", of: nil), Self.role("reader", of: nil),
        ] { try await services.stores.roles.create(role) }
        try await services.directory.reload()
        func roles(_ groups: [String]?) async throws -> Memberships? {
            fixture.provider.says(.person(email: "kim@a.example", groups: groups))
            #expect(try await FederationFixture.hasCode(fixture.pass(fixture.server.browser(), at: "a-sso")))
            return try await fixture.server.account("kim@a.example")?.memberships
        }
        let reader = Memberships(tenants: ["T1": ["reader-T1"]])
        #expect(try await roles(["staff", "owner", "admin"]) == reader)
        #expect(try await roles(nil) == reader, "too many to be listed: nothing is known, and nothing changes")
        _ = try await fixture.server.manage(
            "/v2/mgmt/user/update/role/add",
            ["loginId": "kim@a.example", "tenantId": "T1", "roleNames": ["owner"]])
        #expect(try await roles(["owner"]) == Memberships(tenants: ["T1": ["owner-T1"]]), "given by the operator")
        #expect(try await roles([]) == Memberships(tenants: ["T1": ["owner-T1"]]))
        await fixture.server.stop()
    }

    @Test func `F-8: who came first with an address that was not theirs has nothing of the owner's account`()
        async throws
    {
        let address = "victim@shop.example"
        let fixture = try await FederationFixture.start(.person("attacker", email: address, trust: .unverified))
        _ = try await fixture.pass(fixture.server.browser())
        let attacker = try await fixture.holder("attacker")
        let signedUp = try await fixture.server.method(
            "password/signup", nil, ["loginId": .string(address), "password": "the-victim-s-password-1"])
        #expect(signedUp.status == 200)
        let owner = try #require(try await fixture.server.account(address))
        #expect(attacker != owner.user.id)
        #expect(try await fixture.identities(of: owner.user.id).isEmpty)
        _ = try await fixture.pass(fixture.server.browser())
        #expect(try await fixture.identities(of: owner.user.id).isEmpty, "nor later")
        await fixture.server.stop()
    }
}
