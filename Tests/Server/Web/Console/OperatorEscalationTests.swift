import Account
import Authority
import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import SignIn
import Testing

@testable import Web

@Suite("Operators: none becomes an owner without an owner's act")
struct OperatorEscalationTests {
    private static let connectionsPath = "/admin/connections"
    private static let connectionPath = "/admin/connections/connection"

    /// A server with two tenants' connections, and one of the project.
    static func start() async throws -> TestServer {
        let server = try await TestServer.start(clients: [Self.own, Self.remote, Self.others])
        let services = server.services
        let now = server.clock.now
        try await services.stores.tenants.create(Tenant(id: "harbour", name: "Harbour", createdAt: now))
        try await services.stores.roles.create(
            Role(
                id: "R1", tenantID: nil, name: "billing", description: "", permissions: [], isDefault: false,
                createdAt: now))
        try await services.stores.roles.create(
            Role(
                id: "R2", tenantID: "harbour", name: "clerk", description: "", permissions: [], isDefault: false,
                createdAt: now))
        try await services.directory.reload()
        for connection in [Self.openID("acme", tenant: "harbour"), Self.openID("all", tenant: nil), Self.saml] {
            try #require(try await services.connections.save(connection, isNew: true) == .saved)
        }
        return server
    }

    private static func openID(_ id: String, tenant: String?) -> Connection {
        Connection(
            id: id, tenantID: tenant, name: "Acme",
            settings: .openID(
                OpenIDConnectionSettings(
                    issuer: "https://login.acme.example", clientID: "keyturn", clientSecret: "a-secret")),
            createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))
    }

    private static let saml = Connection(
        id: "harbour-saml", tenantID: "harbour", name: "Harbour",
        settings: .saml(
            SAMLConnectionSettings(
                entityID: "https://idp.harbour.example", signOnURL: "https://idp.harbour.example/sso",
                certificates: ["MIIB"])),
        createdAt: UnixTime(rawValue: 0), updatedAt: UnixTime(rawValue: 0))

    // MARK: Connections

    static let newConnections: [(String, String)] = [
        (#""issuer": "https://evil.example""#, "tenant"),
        (#""issuer": "https://evil.example", "trust_email": true, "strong_contexts": ["mfa"]"#, "trust_email"),
        (#""tenant": "harbour", "issuer": "https://evil.example", "trust_email": true"#, "trust_email"),
        (#""tenant": "harbour", "issuer": "https://evil.example", "strong_contexts": ["mfa"]"#, "strong_contexts"),
        (#""tenant": "harbour", "issuer": "https://evil.example", "roles": {"g": "billing"}"#, "roles"),
        (#""tenant": null, "preset": "google""#, "tenant"),
    ]

    @Test(arguments: newConnections)
    func `O-1: an operator makes no connection whose provider speaks for everybody`(_ rest: String, _ named: String)
        async throws
    {
        let server = try await Self.start()
        let document = #"{"id": "evil", "client_id": "keyturn", "client_secret": "s", \#(rest)}"#
        let refused = try await server.operatorVisit(.operator).post(Self.connectionsPath, ["document": document])
        #expect(refused.status == 403 && refused.body.contains("Only an owner may change this"), "\(refused.status)")
        #expect(refused.body.contains(named), "the page names \(named)")
        #expect(server.services.connections.connection("evil") == nil)
        let made = try await server.operatorVisit(.owner).post(Self.connectionsPath, ["document": document])
        #expect(made.status == 303, "an owner may: \(made.body)")
        await server.stop()
    }

    @Test func `an owner makes a connection and turns it on, and is not needed for its daily work`()
        async throws
    {
        let server = try await Self.start()
        let visit = try await server.operatorVisit(.operator)
        let document = """
            {"id": "new", "tenant": "harbour", "issuer": "https://login.new.example", "client_id": "keyturn",
             "client_secret": "s", "roles": {"clerks": "clerk"}, "trust_email": false, "strong_contexts": []}
            """
        #expect(try await visit.post(Self.connectionsPath, ["document": document]).status == 403)
        let owner = try await server.operatorVisit(.owner)
        #expect(try await owner.post(Self.connectionsPath, ["document": document]).status == 303)
        _ = try await server.operatorVisit(.operator)
        for change in [
            #"{"name": "New name"}"#, #"{"client_secret": "another"}"#, #"{"scopes": ["groups"]}"#,
            #"{"prompt": ["login"]}"#, #"{"create_users": false}"#,
            // As it is, in whole.
            #"{"issuer": "https://login.new.example", "client_id": "keyturn", "mapping": {}, "endpoints": {}}"#,
            #"{"enabled": false}"#, #"{"enabled": true}"#,
        ] {
            let saved = try await visit.post(
                Self.connectionPath, ["action": "save", "id": "new", "document": change])
            #expect(saved.status == (change.contains("enabled\": true") ? 403 : 303), "\(change): \(saved.status)")
        }
        await server.stop()
    }

    @Test func `the settings are saved as the page shows them`() async throws {
        let server = try await Self.start()
        let visit = try await server.operatorVisit(.operator)
        let page = try await server.console("\(Self.connectionPath)?id=acme", visit.cookie)
        let shown = try #require(page.body.firstMatch(of: #/<textarea[^>]*>([^<]*)</#)).1
        let document = String(shown).replacing("&quot;", with: "\"").replacing("&#34;", with: "\"")
        let saved = try await visit.post(
            Self.connectionPath, ["action": "save", "id": "acme", "document": document])
        #expect(saved.status == 303, "\(document)")
        await server.stop()
    }

    /// With `issuer` as it is, keys of another's make a user of every identity.
    static let changes: [(String, String, String)] = [
        ("acme", #"{"issuer": "https://evil.example", "client_secret": "s"}"#, "issuer"),
        ("acme", #"{"endpoints": {"jwks_uri": "https://evil.example/keys"}, "client_secret": "s"}"#, "jwks_uri"),
        (
            "acme", #"{"endpoints": {"token_endpoint": "https://evil.example/t"}, "client_secret": "s"}"#,
            "token_endpoint"
        ),
        ("acme", #"{"client_id": "evil", "client_secret": "s"}"#, "client_id"),
        ("acme", #"{"native_client_ids": ["evil"]}"#, "native_client_ids"),
        ("acme", #"{"parameters": {"key_id": "evil"}}"#, "parameters"),
        ("acme", #"{"mapping": {"email": "nickname"}}"#, "mapping"),
        ("acme", #"{"preset": "google", "issuer": null, "client_secret": "s"}"#, "preset"),
        ("acme", #"{"trust_email": true}"#, "trust_email"),
        ("acme", #"{"strong_contexts": ["mfa"]}"#, "strong_contexts"),
        ("acme", #"{"roles": {"everybody": "billing"}}"#, "roles"),
        ("all", #"{"name": "Anything"}"#, "tenant"),
        ("all", #"{"endpoints": {"jwks_uri": "https://evil.example/keys"}, "client_secret": "s"}"#, "jwks_uri"),
        ("harbour-saml", #"{"certificates": ["MIIC"]}"#, "certificates"),
        ("harbour-saml", #"{"idp_entity_id": "https://evil.example"}"#, "idp_entity_id"),
        ("harbour-saml", #"{"metadata_url": "https://evil.example/metadata"}"#, "metadata_url"),
        ("harbour-saml", #"{"subject_attribute": "nickname"}"#, "subject_attribute"),
        ("harbour-saml", #"{"sso_url": "https://evil.example/sso"}"#, "sso_url"),
        ("harbour-saml", #"{"trust_email": true}"#, "trust_email"),
    ]

    @Test(arguments: changes)
    func `O-2: an operator gives the users of a connection to no other provider`(
        _ id: String, _ document: String, _ named: String
    ) async throws {
        let server = try await Self.start()
        let before = try #require(server.services.connections.connection(id))
        let visit = try await server.operatorVisit(.operator)
        let refused = try await visit.post(Self.connectionPath, ["action": "save", "id": id, "document": document])
        #expect(refused.status == 403 && refused.body.contains(named), "\(document): \(refused.status)")
        #expect(refused.body.contains("Only an owner may change this"))
        #expect(server.services.connections.connection(id) == before)
        await server.stop()
    }

    @Test func `a connection of the project is turned off by operators, and on again by owners`() async throws {
        let server = try await Self.start()
        let visit = try await server.operatorVisit(.operator)
        #expect(try await visit.post(Self.connectionPath, ["action": "disable", "id": "all"]).status == 303)
        #expect(server.services.connections.connection("all")?.isEnabled == false)
        #expect(try await visit.post(Self.connectionPath, ["action": "enable", "id": "all"]).status == 403)
        #expect(server.services.connections.connection("all")?.isEnabled == false)
        let owner = try await server.operatorVisit(.owner)
        #expect(try await owner.post(Self.connectionPath, ["action": "enable", "id": "all"]).status == 303)
        await server.stop()
    }

    @Test func `O-2: a removed connection comes back under its name by owners alone, if users have identities there`()
        async throws
    {
        let server = try await Self.start()
        let account = try #require(try await server.services.stores.users.account(TestServer.subject))
        let identity = FederatedIdentity(
            key: .init(connectionID: "acme", issuer: "https://login.acme.example", subject: "s"),
            userID: account.user.id, linkedAt: server.clock.now, usedAt: server.clock.now, isByOwner: true)
        #expect(try await server.services.stores.identities.link(identity, epoch: account.user.epoch) == .linked)
        let visit = try await server.operatorVisit(.operator)
        #expect(
            try await visit.post(Self.connectionPath, ["action": "remove", "id": "acme", "typed": "acme"]).status == 303
        )
        for tenant in [#""tenant": "harbour","#, ""] {
            let document = """
                {"id": "acme", \(tenant) "issuer": "https://login.acme.example", "client_id": "keyturn",
                 "client_secret": "s", "endpoints": {"jwks_uri": "https://evil.example/keys"}}
                """
            let refused = try await visit.post(Self.connectionsPath, ["document": document])
            #expect(refused.status == 403, "\(refused.status)")
        }
        #expect(server.services.connections.connection("acme") == nil)
        await server.stop()
    }

    // MARK: Clients

    private static let secret = "a-secret-of-a-client-of-these-tests"
    /// Of this company: its users are not asked.
    private static let own = TestClients.make("own", method: "client_secret_basic", secret: secret, firstParty: true) {
        $0.scope = "openid"
        $0.redirectURIs = ["https://own.example/back", "https://own.example/other"]
    }
    /// For remote administration.
    static let remote = TestClients.make(
        "remote", method: "client_secret_basic", secret: secret, firstParty: true
    ) {
        $0.scope = "openid \(Scope.management)"
        $0.redirectURIs = ["https://remote.example/back"]
    }
    /// Of another company.
    private static let others = TestClients.make("others", method: "client_secret_basic", secret: secret) {
        $0.scope = "openid"
    }

    static let drafts: [KeyValuePairs<String, String>] = [
        ["kind": "public", "first_party": "1", "scope": "openid \(Scope.management)"],
        ["kind": "public", "first_party": "1", "scope": "openid"],
        ["kind": "confidential", "first_party": "1"],
        ["kind": "public", "scope": "openid  \(Scope.management)"],
    ]

    @Test(arguments: drafts)
    func `O-3: an operator registers no client that gets tokens without asking, or administers`(
        _ fields: KeyValuePairs<String, String>
    ) async throws {
        let server = try await Self.start()
        var form = FormParameters(["client_id": "handy", "redirect_uris": "http://127.0.0.1:9690/steal"])
        form.append("grant_types", "authorization_code")
        for (name, value) in fields { form.append(name, value) }
        let refused = try await server.operatorVisit(.operator).post("/admin/clients/new", form)
        #expect(refused.status == 403 && refused.body.contains("Only an owner may do this"), "\(refused.status)")
        #expect(try await server.services.stores.clients.find("handy") == nil)
        let made = try await server.operatorVisit(.owner).post("/admin/clients/new", form)
        #expect([200, 303].contains(made.status))
        #expect(try await server.services.stores.clients.find("handy") != nil)
        await server.stop()
    }

    /// The fields of the form beside those that the client has.
    static let edits: [(String, KeyValuePairs<String, String>, Bool)] = [
        ("others", ["scope": "openid \(Scope.management)"], false),
        ("others", ["redirect_uris": "https://others.example/new"], true),
        ("own", ["scope": "openid \(Scope.management)", "redirect_uris": "https://own.example/back"], false),
        ("own", ["redirect_uris": "https://own.example/back\nhttps://evil.example/"], false),
        (
            "own",
            [
                "redirect_uris": "https://own.example/back",
                "grant_types": "urn:ietf:params:oauth:grant-type:device_code",
            ], false
        ),
        ("own", ["scope": "openid", "redirect_uris": "https://own.example/back"], true),
        ("own", ["scope": "openid email", "redirect_uris": "https://own.example/back"], false),
        // Without one it may ask for everything.
        ("own", ["redirect_uris": "https://own.example/back"], false),
        ("remote", ["scope": "openid \(Scope.management)", "redirect_uris": "https://evil.example/"], false),
        ("remote", ["scope": "openid", "redirect_uris": "https://evil.example/"], false),
    ]

    @Test(arguments: edits)
    func `O-3: an operator adds no address and no power to a client that is trusted`(
        _ id: String, _ fields: KeyValuePairs<String, String>, _ isAllowed: Bool
    ) async throws {
        let server = try await Self.start()
        let before = try #require(try await server.services.stores.clients.find(id))
        var form = FormParameters(["id": id, "client_name": "Edited", "grant_types": "authorization_code"])
        for (name, value) in fields { form.append(name, value) }
        let answer = try await server.operatorVisit(.operator).post("/admin/clients/edit", form)
        #expect(answer.status == (isAllowed ? 303 : 403), "\(id): \(answer.status)")
        let after = try await server.services.stores.clients.find(id)
        #expect((after == before) != isAllowed)
        await server.stop()
    }

    @Test func `O-3: the secret of a client for administration is an owner's, and so is the name of an own app`()
        async throws
    {
        let server = try await Self.start()
        let visit = try await server.operatorVisit(.operator)
        let path = "/admin/clients/client"
        let before = try #require(try await server.services.stores.clients.find("remote"))
        let refused = try await visit.post(path, ["id": "remote", "action": "rotate"])
        #expect(refused.status == 403 && refused.body.contains("Only an owner"))
        #expect(try await server.services.stores.clients.find("remote") == before)
        #expect(try await visit.post(path, ["id": "others", "action": "rotate"]).status == 200)
        for (id, isRemoved) in [("remote", false), ("others", true)] {
            let answer = try await visit.post(path, ["id": id, "action": "remove", "confirmation": id])
            #expect(answer.status == (isRemoved ? 303 : 403))
            #expect((try await server.services.stores.clients.find(id) == nil) == isRemoved)
        }
        await server.stop()
    }

    // MARK: Sessions
}
