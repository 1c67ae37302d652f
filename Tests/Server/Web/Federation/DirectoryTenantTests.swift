import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Passwords at an organisation's directory, and people who leave it")
struct DirectoryTenantTests {
    private static func start(groups: [String]? = nil, roles: [String: String] = [:]) async throws -> DirectoryFixture {
        try await DirectoryFixture.start(
            DirectoryFixture.profile(groups: groups), at: DirectoryFixture.connection(tenant: "T1", roles: roles))
    }

    @Test func `the domain of the typed address leads to the directory, and its people join the organisation`()
        async throws
    {
        let fixture = try await Self.start()
        #expect(try await fixture.signsIn("jane@a.example"))
        #expect(try await fixture.server.account("jane@a.example")?.memberships.tenants["T1"] != nil)
        // Names without the domain are not the organisation's.
        #expect(try await fixture.type("jane").status == 422)
        #expect(fixture.directory.searches == ["jane@a.example"])
        await fixture.server.stop()
    }

    @Test func `F-29: an organisation's directory vouches for its own domain alone`() async throws {
        let fixture = try await Self.start()
        fixture.directory.add(
            .init(
                profile: DirectoryFixture.profile("evil", email: TestServer.username),
                password: DirectoryFixture.password, names: ["evil@a.example"]))
        let page = try await fixture.type("evil@a.example")
        #expect(page.status == 422 && page.body.contains("does not belong to your organisation"))
        #expect(
            try await fixture.server.services.stores.identities.identities(of: TestServer.subject).isEmpty)
        await fixture.server.stop()
    }

    @Test func `L-11: groups give the roles that the connection maps, and take them away again`() async throws {
        let group = "cn=staff,ou=groups,dc=a"
        let fixture = try await Self.start(groups: [group, "cn=admins,dc=a"], roles: [group: "reader"])
        try await fixture.server.services.stores.roles.create(
            Role(id: "r1", tenantID: "T1", name: "reader", permissions: [], createdAt: UnixTime(rawValue: 0)))
        try await fixture.server.services.directory.reload()
        #expect(try await fixture.signsIn("jane@a.example"))
        #expect(try await fixture.server.account("jane@a.example")?.memberships.tenants["T1"]?.contains("r1") == true)
        fixture.directory.change("jane") { $0.profile.groups = [] }
        #expect(try await fixture.signsIn("jane@a.example"))
        #expect(try await fixture.server.account("jane@a.example")?.memberships.tenants["T1"] == [])
        await fixture.server.stop()
    }

    @Test func `L-8: a person who left the directory loses the sessions that began there`() async throws {
        for isProject in [true, false] {
            let fixture =
                isProject ? try await DirectoryFixture.start() : try await Self.start()
            let browser = fixture.server.browser()
            _ = try await fixture.server.complete(
                try await fixture.server.loginPage(browser), in: browser, username: "jane@a.example",
                password: DirectoryFixture.password)
            let services = fixture.server.services
            let user = try #require(try await fixture.holder)
            func sessions() async throws -> Int {
                try await services.stores.sessions.sessions(of: user, limit: 10, at: fixture.server.clock.now).count
            }
            #expect(try await sessions() == 1)
            #expect(try await services.directoryRounds.run() == 0)
            fixture.directory.fails(ConnectionProblem(.unavailable, code: "ldap_timeout"))
            #expect(try await services.directoryRounds.run() == 0)
            #expect(try await sessions() == 1, "a directory that does not answer ends nothing")
            fixture.directory.fails(nil)
            if isProject {
                fixture.directory.remove("jane")
            } else {
                fixture.directory.change("jane") { $0.isDisabled = true }
            }
            #expect(try await services.directoryRounds.run() == 1)
            #expect(try await sessions() == 0)
            #expect(try await services.directoryRounds.run() == 0)
            #expect(try await fixture.type("jane@a.example").status == 422)
            await fixture.server.stop()
        }
    }
}
