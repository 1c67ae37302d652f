import Identity
import KeyturnBase
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Roles that a provider's groups give, over time")
struct ProvidedRoleTests {
    private static let start = UnixTime(rawValue: 0)

    /// A server with two connections, of a tenant or of the project, that map groups to roles.
    private static func fixture(
        _ tenant: String?, _ groups: [String]?, roles: [String: String] = ["admins": "admin"]
    ) async throws -> FederationFixture {
        var connections = ["one", "two"].map {
            Connection.scripted($0, tenant: tenant, domains: tenant == nil ? [] : ["a.example"])
        }
        for index in connections.indices { connections[index].roles = roles }
        let fixture = try await FederationFixture.start(
            .person(email: "kim@a.example", groups: groups), connections,
            tenants: tenant.map { [Tenant(id: $0, name: $0, createdAt: start)] } ?? [])
        for name in ["admin", "editor"] {
            try await fixture.server.services.stores.roles.create(
                Role(id: name, tenantID: tenant, name: name, permissions: [], createdAt: start))
        }
        try await fixture.server.services.directory.reload()
        return fixture
    }

    private static func roles(
        _ fixture: FederationFixture, _ tenant: String?, _ groups: [String]?, at connection: String = "one"
    ) async throws -> [String] {
        fixture.provider.says(.person(email: "kim@a.example", groups: groups))
        let end = try await fixture.pass(fixture.server.browser(), at: connection)
        #expect(try FederationFixture.hasCode(end))
        return try await held(fixture, tenant)
    }

    private static func held(_ fixture: FederationFixture, _ tenant: String?) async throws -> [String] {
        try #require(try await fixture.server.account("kim@a.example")).memberships.roles(in: tenant).sorted()
    }

    @Test("F-42: the last group takes the last role", arguments: [nil, "T1"])
    func lastGroup(_ tenant: String?) async throws {
        let fixture = try await Self.fixture(tenant, nil)
        #expect(try await Self.roles(fixture, tenant, ["admins"]) == ["admin"])
        #expect(try await Self.roles(fixture, tenant, nil) == ["admin"], "unknown: nothing changes")
        #expect(try await Self.roles(fixture, tenant, []) == [])
        await fixture.server.stop()
    }

    @Test("a role that an operator gave stays when the groups go", arguments: [nil, "T1"])
    func byHand(_ tenant: String?) async throws {
        let fixture = try await Self.fixture(tenant, nil)
        #expect(try await Self.roles(fixture, tenant, []) == [])
        var body: [String: JSONValue] = ["loginId": "kim@a.example", "roleNames": ["admin"]]
        body["tenantId"] = tenant.map(JSONValue.string)
        _ = try await fixture.server.manage("/v2/mgmt/user/update/role/add", .object(body))
        #expect(try await Self.held(fixture, tenant) == ["admin"])
        #expect(try await Self.roles(fixture, tenant, ["admins"]) == ["admin"])
        #expect(try await Self.roles(fixture, tenant, []) == ["admin"])
        await fixture.server.stop()
    }

    @Test("a disconnected account gives no role, a second one that gives it keeps it", arguments: [nil, "T1"])
    func unlinked(_ tenant: String?) async throws {
        let fixture = try await Self.fixture(tenant, nil)
        let identities = fixture.server.services.stores.identities
        #expect(try await Self.roles(fixture, tenant, ["admins"]) == ["admin"])
        #expect(try await Self.roles(fixture, tenant, ["admins"], at: "two") == ["admin"])
        let user = try #require(try await fixture.holder(at: "one"))
        let ways = SignInWays(passwords: true, passkeys: false, reached: [.email], connections: [])
        for (connection, left) in [("one", ["admin"]), ("two", [])] {
            let key = FederatedProfile.person().key(at: connection)
            let result = try await identities.unlink(
                key, of: user, leaving: ways, at: fixture.server.clock.now)
            #expect(result == .unlinked)
            #expect(try await Self.held(fixture, tenant) == left, "\(connection)")
        }
        await fixture.server.stop()
    }

    @Test func `a mapping that the operator changed takes the role that it named before`() async throws {
        let server = try await TestServer.start()
        let services = server.services
        for name in ["admin", "editor"] {
            try await services.stores.roles.create(
                Role(id: name, tenantID: nil, name: name, permissions: [], createdAt: Self.start))
        }
        try await services.directory.reload()
        var connection = Connection.scripted()
        func sign(_ groups: [String]?) async throws -> [String] {
            let outcome = try await services.federation.complete(
                .person(groups: groups), at: connection, from: nil)
            guard case .user(let account, _) = outcome else { throw TestFailure("\(outcome)") }
            return account.memberships.roles.sorted()
        }
        connection.roles = ["admins": "admin"]
        #expect(try await sign(["admins"]) == ["admin"])
        connection.roles = ["admins": "editor"]
        #expect(try await sign(["admins"]) == ["editor"])
        connection.roles = ["staff": "admin"]
        #expect(try await sign(nil) == [], "unknown groups do not keep what no mapping names")
        connection.roles = [:]
        #expect(try await sign(nil) == [])
        await server.stop()
    }

    @Test func `a removed connection gives no role any more`() async throws {
        let server = try await TestServer.start()
        let services = server.services
        try await services.stores.roles.create(
            Role(id: "admin", tenantID: nil, name: "admin", permissions: [], createdAt: Self.start))
        try await services.directory.reload()
        var connection = Connection.scripted()
        connection.roles = ["admins": "admin"]
        #expect(try await services.connections.save(connection, isNew: true) == .saved)
        for subject in ["1", "2"] {
            _ = try await services.federation.complete(
                .person(subject, email: "\(subject)@p.example", groups: ["admins"]), at: connection, from: nil)
        }
        #expect(try await server.account("1@p.example")?.memberships.roles == ["admin"])
        #expect(try await services.connections.remove("acme", at: services.ambient.now()))
        for subject in ["1", "2"] {
            #expect(try await server.account("\(subject)@p.example")?.memberships.roles == [])
        }
        await server.stop()
    }

    @Test func `a role that a group of the tenant's directory gives is not the provider's to take, nor the other way`()
        async throws
    {
        let fixture = try await Self.fixture("T1", nil)
        let directory = try await Directory.of("T1", at: fixture.server)
        #expect(try await Self.roles(fixture, "T1", []) == [])
        let kim = try await directory.user("kim@a.example")
        let group = try await directory.group("Crew", members: [kim])
        let groups = fixture.server.services.stores.provisionedGroups
        try await groups.map(group, in: "T1", to: "admin", at: fixture.server.clock.now)
        #expect(try await Self.roles(fixture, "T1", ["admins"]) == ["admin"])
        #expect(try await Self.roles(fixture, "T1", []) == ["admin"], "the group gives it")
        #expect(try await Self.roles(fixture, "T1", ["admins"]) == ["admin"])
        try await groups.map(group, in: "T1", to: nil, at: fixture.server.clock.now)
        #expect(try await Self.held(fixture, "T1") == ["admin"], "the provider gives it")
        #expect(try await Self.roles(fixture, "T1", []) == [])
        await fixture.server.stop()
    }
}
