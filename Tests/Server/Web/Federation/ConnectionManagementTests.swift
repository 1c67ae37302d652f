import Identity
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import SignIn
import Testing

@Suite("Connections by the management interface")
struct ConnectionManagementTests {
    private static let body: JSONValue = [
        "id": "made", "issuer": "https://login.example", "client_id": "client", "client_secret": "very-secret-4711",
    ]

    private func start(_ tenants: [Tenant] = []) async throws -> FederationFixture {
        try await FederationFixture.start(tenants: tenants)
    }

    private func tenant(_ id: String) -> Tenant { Tenant(id: id, name: id, createdAt: UnixTime(rawValue: 0)) }

    @Test func `a connection that was made is offered at once, shown without its secret, and goes`() async throws {
        let fixture = try await start()
        let server = fixture.server
        let made = try await server.manage("connection/create", Self.body)
        #expect(made.status == 200 && made.json["has_client_secret"] == true, "\(made.json)")
        let page = try await server.loginPage(server.browser())
        #expect(page.body.contains("/federation/made/start"))
        let off = try await server.manage("connection/patch", ["id": "made", "enabled": false], method: "PATCH")
        #expect(off.json["enabled"] == false && off.json["client_id"] == "client")
        #expect(try await !server.loginPage(server.browser()).body.contains("/federation/made/start"))
        let all = try await server.call(
            "GET", "/v1/mgmt/connection/all", bearer: "test:\(TestServer.managementKey)")
        #expect(all.json["connections"]?.arrayValue?.count == 2)
        let text = String(decoding: JSONValue.array([made.json, off.json, all.json]).serialized, as: UTF8.self)
        #expect(!text.contains("very-secret-4711"))
        #expect(try await server.manage("connection/delete", ["id": "made"]).status == 200)
        #expect(try await server.manage("connection/delete", ["id": "made"]).status == 400)
        _ = try await server.services.auditLog.flush()
        let events = try await server.services.stores.audit.search(AuditQuery()).filter { $0.target == "made" }
        #expect(events.filter { $0.kind == .connectionChanged }.count == 2)
        #expect(events.contains { $0.kind == .connectionRemoved && $0.actor?.isEmpty == false })
        await server.stop()
    }

    @Test func `what stands in the configuration file is shown as such and refused for change`() async throws {
        let fixture = try await start()
        let shown = try await fixture.server.call(
            "GET", "/v1/mgmt/connection?id=acme", bearer: "test:\(TestServer.managementKey)")
        #expect(shown.json["from_configuration"] == true)
        for (path, method) in [("connection/patch", "PATCH"), ("connection/delete", "POST")] {
            let answer = try await fixture.server.manage(path, ["id": "acme", "name": "x"], method: method)
            #expect(answer.status == 400 && answer.message.contains("configuration file"), "\(answer.json)")
        }
        #expect(try await fixture.server.manage("connection/create", ["id": "acme", "client_id": "c"]).status == 400)
        await fixture.server.stop()
    }

    @Test func `F-27: private addresses are the operator's to allow, not the interface's`() async throws {
        let fixture = try await start([tenant("t")])
        let rules = ConnectionRules(issuer: "https://id.example.com")
        var connection = Connection.scripted("x", tenant: "t")
        for issuer in ["https://127.0.0.1", "https://[::1]", "https://169.254.169.254", "https://login.localhost"] {
            connection.settings = .openID(OpenIDConnectionSettings(issuer: issuer, clientID: "c"))
            #expect(rules.mistakes(in: connection).map(\.member) == ["issuer"], "\(issuer)")
            connection.allowsPrivateAddresses = true
            #expect(rules.mistakes(in: connection).isEmpty)
            connection.allowsPrivateAddresses = false
        }
        connection.settings = .openID(
            OpenIDConnectionSettings(
                issuer: "https://a.example", clientID: "c",
                endpoints: [
                    "authorization_endpoint": "https://a.example/a", "token_endpoint": "https://10.1.2.3/t",
                    "jwks_uri": "https://a.example/k",
                ]))
        #expect(rules.mistakes(in: connection).map(\.member) == ["endpoints.token_endpoint"])
        for member in ["allow_private_addresses", "vouched_domains"] {
            var members = Self.body.objectValue ?? [:]
            members[member] = member == "vouched_domains" ? ["a.example"] : true
            let answer = try await fixture.server.manage("connection/create", .object(members))
            #expect(answer.status == 400 && answer.message.contains("only the operator"), "\(answer.json)")
        }
        await fixture.server.stop()
    }

    @Test func `F-30, F-32: a domain belongs to one tenant, and a public one to none`() async throws {
        let fixture = try await start([tenant("t1"), tenant("t2")])
        func create(_ id: String, _ tenant: String, _ domain: String) async throws -> EndpointAnswer {
            var members = Self.body.objectValue ?? [:]
            members["id"] = .string(id)
            members["tenant"] = .string(tenant)
            members["domains"] = [.string(domain)]
            return try await fixture.server.manage("connection/create", .object(members))
        }
        #expect(try await create("one", "t1", "corp.example").status == 200)
        #expect(try await create("two", "t2", "CORP.example").message.contains("another tenant has this domain"))
        #expect(try await create("two", "t2", "gmail.com").message.contains("anyone can have an address there"))
        #expect(try await create("two", "t3", "b.example").message.contains("no tenant"))
        await fixture.server.stop()
    }

    @Test func `a SAML provider's addresses are trusted by the operator's word`() throws {
        var connection = ConnectionDocument.blank(
            "x", tenant: nil, for: ["type": "saml"], at: UnixTime(rawValue: 0))
        #expect(ConnectionDocument.json(connection)["trust_email"] == false)
        #expect(ConnectionDocument.apply(["trust_email": true], to: &connection).isEmpty)
        #expect(ConnectionDocument.json(connection)["trust_email"] == true)
    }

    @Test func `a connection that was made between the start and the first look is seen`() async throws {
        let fixture = try await start()
        let services = fixture.server.services
        let made = StoredConnection(id: "made", tenantID: nil, sealed: [1, 2, 3])
        #expect(try await services.stores.connections.create(made, max: 1))
        let (reports, continuation) = AsyncStream<[String]>.makeStream()
        let upkeep = Upkeep(services) { event in
            if case .unreadableConnections(let names) = event { continuation.yield(names) }
        }
        let running = Task { await upkeep.run() }
        #expect(await reports.first { _ in true } == ["made"])
        running.cancel()
        await running.value
        await fixture.server.stop()
    }

    @Test func `the number of connections is bounded, and rows that cannot be opened are named`() async throws {
        let fixture = try await start()
        let services = fixture.server.services
        let lost = StoredConnection(id: "lost", tenantID: nil, sealed: [1, 2, 3])
        #expect(try await services.stores.connections.create(lost, max: 1))
        let full = try await services.stores.connections.create(
            StoredConnection(id: "more", tenantID: nil, sealed: [4]), max: 1)
        #expect(!full)
        try await services.connections.reload()
        #expect(services.connections.unreadable == ["lost"] && services.connections.connection("lost") == nil)
        let all = try await fixture.server.call(
            "GET", "/v1/mgmt/connection/all", bearer: "test:\(TestServer.managementKey)")
        #expect(all.json["unreadable"] == ["lost"])
        var members = Self.body.objectValue ?? [:]
        members["id"] = "lost"
        let again = try await fixture.server.manage("connection/create", .object(members))
        #expect(again.status == 400 && again.message.contains("already"))
        #expect(try await fixture.server.manage("connection/delete", ["id": "lost"]).status == 200)
        #expect(services.connections.unreadable.isEmpty)
        await fixture.server.stop()
    }

    @Test func `a change of the provider needs its secret, and unknown settings are refused`() async throws {
        let fixture = try await start()
        #expect(try await fixture.server.manage("connection/create", Self.body).status == 200)
        let moved = try await fixture.server.manage(
            "connection/patch", ["id": "made", "issuer": "https://evil.example"], method: "PATCH")
        #expect(moved.status == 400 && moved.message.contains("the provider that was there"))
        let unknown = try await fixture.server.manage(
            "connection/patch", ["id": "made", "client_secrets": "x", "scopes": "openid"], method: "PATCH")
        #expect(unknown.message.contains("client_secrets") && unknown.message.contains("scopes"))
        await fixture.server.stop()
    }
}

extension EndpointAnswer {
    /// The sentence for a developer.
    fileprivate var message: String { json["errorMessage"]?.stringValue ?? "" }
}
