import Identity
import KeyturnBase
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Provisioning by SCIM, and the organisation's provider")
struct ProvisionedFederationTests {
    @Test("M-21: who was deactivated is refused at the organisation's provider, and comes back by the directory alone")
    func refused() async throws {
        let fixture = try await FederationFixture.start(
            .person(email: "kim@a.example"), [.scripted("a-sso", tenant: "T1", domains: ["a.example"])],
            tenants: [Tenant(id: "T1", name: "A", createdAt: UnixTime(rawValue: 0))])
        let server = fixture.server
        let directory = try await Directory.of("T1", at: server)
        let first = try await fixture.pass(server.browser(), at: "a-sso")
        #expect(try FederationFixture.hasCode(first))
        let user = try await directory.user("kim@a.example")
        let before = try #require(try await server.account("kim@a.example"))
        #expect(before.memberships.tenants["T1"] != nil)
        _ = try await directory.patch("/Users/\(user)", ["op": "replace", "path": "active", "value": false])
        for _ in 0..<2 {
            let page = try await fixture.pass(server.browser(), at: "a-sso")
            #expect(page.page == "login")
            #expect(try await server.account("kim@a.example")?.memberships.tenants.isEmpty == true)
        }
        _ = try await directory.patch("/Users/\(user)", ["op": "replace", "path": "active", "value": true])
        let back = try await fixture.pass(server.browser(), at: "a-sso")
        #expect(try FederationFixture.hasCode(back))
        await server.stop()
    }
}
