import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("/2.0/users and As-User")
struct BoxUserTests {
    private func ask(
        _ path: String, _ token: String?, as user: String? = nil, _ fixture: ServiceFixture
    ) async throws -> EndpointAnswer {
        var headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        if let user { headers.append(("As-User", user)) }
        return try await fixture.server.send("GET", "/2.0/users/\(path)", headers: headers, body: nil)
    }

    private func serviceToken(_ fixture: ServiceFixture, as client: Client? = nil) async throws -> String {
        let answer = try await fixture.token(
            ["grant_type": "client_credentials"], as: client ?? fixture.service)
        return try #require(answer.json["access_token"]?.stringValue)
    }

    @Test func `B7: a service acts for a user, and both are written down`() async throws {
        let fixture = try await ServiceFixture.start()
        let token = try await serviceToken(fixture)
        let own = try await ask("me", token, fixture)
        #expect(own.status == 200 && own.json["id"] == "client:service" && own.json["type"] == "user")
        let acted = try await ask("me", token, as: TestServer.subject.rawValue, fixture)
        #expect(acted.status == 200 && acted.json["id"]?.stringValue == TestServer.subject.rawValue)
        #expect(acted.json["name"] == "Andy Rhoads" && acted.json["login"] == "andy@example.com")
        #expect(acted.json["enterprise"]?["id"] == "ent-1")
        let event = try #require(
            try await fixture.server.services.auditEvents(AuditQuery()).first { $0.kind == .actedForUser })
        #expect(event.userID == TestServer.subject && event.actor == "client:service" && event.clientID == "service")
        let named = try await ask(TestServer.subject.rawValue, token, fixture)
        #expect(named.json["name"] == "Andy Rhoads")
        await fixture.server.stop()
    }

    @Test func `B7: who may not act gets 403, the same for somebody who does not exist`() async throws {
        let fixture = try await ServiceFixture.start()
        try await fixture.server.addBea()
        let token = try await serviceToken(fixture)
        var bodies: Set<String> = []
        for user in ["22222222-2222-4222-8222-222222222222", "nobody-at-all", "andy@example.com"] {
            let answer = try await ask("me", token, as: user, fixture)
            #expect(answer.status == 403 && answer.json["code"] == "forbidden")
            bodies.insert(answer.json["message"]?.stringValue ?? "")
        }
        #expect(bodies.count == 1)
        #expect(try await fixture.server.audited().contains("user.acting_refused"))
        let powerless = try await ask(
            "me", serviceToken(fixture, as: fixture.backend), as: TestServer.subject.rawValue, fixture)
        #expect(powerless.status == 403)
        for id in ["22222222-2222-4222-8222-222222222222", "nobody-at-all", "%00", "client:backend"] {
            #expect(try await ask(id, token, fixture).status == 404)
        }
        await fixture.server.stop()
    }

    @Test func `B7: a token that was exchanged, or is for one tenant, acts for nobody else`() async throws {
        let fixture = try await ServiceFixture.start()
        let token = try await serviceToken(fixture)
        let lesser = try await fixture.exchange(token, as: nil, scope: "item_preview")
        let handed = try #require(lesser.json["access_token"]?.stringValue)
        #expect(try await ask("me", handed, as: TestServer.subject.rawValue, fixture).status == 403)
        #expect(try await ask(TestServer.subject.rawValue, handed, fixture).status == 404)
        #expect(try await ask("me", handed, fixture).status == 200)
        // A service of two enterprises, at work in one of them.
        let stores = fixture.server.services.stores
        let now = fixture.server.clock.now
        try await stores.tenants.create(Tenant(id: "ent-2", name: "Another", createdAt: now))
        try await stores.clients.put(
            fixture.service.acting([.tenant("ent-1"), .tenant("ent-2"), .user(TestServer.subject.rawValue)]), at: now)
        try await fixture.server.services.clients.reload()
        try await fixture.server.services.directory.reload()
        let elsewhere = try await fixture.token(
            ["grant_type": "client_credentials", "box_subject_type": "enterprise", "box_subject_id": "ent-2"],
            as: fixture.service)
        let bound = try #require(elsewhere.json["access_token"]?.stringValue)
        #expect(try await ask("me", bound, as: TestServer.subject.rawValue, fixture).status == 403)
        #expect(try await ask(TestServer.subject.rawValue, bound, fixture).status == 404)
        _ = try await stores.users.change(TestServer.subject, at: now) { $0.user.status = .disabled }
        #expect(try await ask(TestServer.subject.rawValue, token, fixture).json["status"] == "inactive")
        await fixture.server.stop()
    }

    @Test func `B7: a person acts for another only with the right, in an app that may`() async throws {
        let fixture = try await ServiceFixture.start()
        try await fixture.server.addBea()
        let bea = UserID(rawValue: "22222222-2222-4222-8222-222222222222")
        let stores = fixture.server.services.stores
        let now = fixture.server.clock.now
        _ = try await stores.users.change(bea, at: now) { $0.memberships.tenants["ent-1"] = [] }
        let acting = fixture.app.acting([.tenant("ent-1")])
        try await stores.clients.put(acting, at: now)
        try await fixture.server.services.clients.reload()
        let token = try await fixture.server.tokens(fixture.app).accessToken
        #expect(try await ask("me", token, as: bea.rawValue, fixture).status == 403, "the app may, the person may not")
        let role = Role(
            id: "r1", tenantID: "ent-1", name: "admin", permissions: [ImpersonationRule.permission], createdAt: now)
        try await stores.roles.create(
            Permission(name: ImpersonationRule.permission))
        try await stores.roles.create(role)
        try await fixture.server.services.directory.reload()
        _ = try await stores.users.change(TestServer.subject, at: now) { $0.memberships.tenants["ent-1"] = ["r1"] }
        #expect(try await ask("me", token, as: bea.rawValue, fixture).json["id"]?.stringValue == bea.rawValue)
        try await stores.clients.put(fixture.app, at: now)
        try await fixture.server.services.clients.reload()
        #expect(try await ask("me", token, as: bea.rawValue, fixture).status == 403, "the person may, the app may not")
        await fixture.server.stop()
    }

    @Test func `a service's token for a user says who it is, although Box's applications ask for no scope`()
        async throws
    {
        let fixture = try await ServiceFixture.start()
        func token(_ client: Client) async throws -> String {
            let answer = try await fixture.token(
                [
                    "grant_type": "client_credentials", "box_subject_type": "user",
                    "box_subject_id": TestServer.subject.rawValue, "scope": "item_preview",
                ], as: client)
            return try #require(answer.json["access_token"]?.stringValue, "\(answer.body)")
        }
        let own = try await token(fixture.service)
        let me = try await ask("me", own, fixture)
        #expect(me.json["name"] == "Andy Rhoads" && me.json["login"] == "andy@example.com", "\(me.body)")
        #expect(me.json["phone"] == nil && me.json["enterprise"] == nil, "and nothing else that no scope stands for")
        // Handed on, it says what its scopes stand for.
        let lesser = try await fixture.exchange(own, as: nil, scope: "item_preview")
        let handed = try #require(lesser.json["access_token"]?.stringValue)
        #expect(try await ask("me", handed, fixture).json["login"] == nil)
        // A client that authenticates in another way is none of Box's.
        let keyed = fixture.keyed.acting([.tenant("ent-1")])
        try await fixture.server.services.stores.clients.put(keyed, at: fixture.server.clock.now)
        try await fixture.server.services.clients.reload()
        let answer = try await fixture.asKeyed(
            fixture.assertion(of: keyed),
            ["box_subject_type": "user", "box_subject_id": TestServer.subject.rawValue, "scope": "api.read"])
        if let strict = answer.json["access_token"]?.stringValue {
            #expect(try await ask("me", strict, fixture).json["login"] == nil)
        }
        await fixture.server.stop()
    }

    @Test func `what is not there is not called a user`() async throws {
        let fixture = try await ServiceFixture.start()
        let answer = try await fixture.server.get("/2.0/files/1", token: try await serviceToken(fixture))
        #expect(answer.status == 404 && answer.json["code"] == "not_found" && answer.json["type"] == "error")
        #expect(answer.json["message"] == "There is nothing at this address.")
        await fixture.server.stop()
    }

    @Test func `a person's token shows what its scopes stand for`() async throws {
        let fixture = try await ServiceFixture.start()
        let token = try await fixture.server.tokens(fixture.app) { $0.scope = "openid email" }.accessToken
        let me = try await ask("me", token, fixture)
        #expect(me.json["login"] == "andy@example.com" && me.json["name"] == nil && me.json["status"] == "active")
        let fields = try await ask("me?fields=login", token, fixture)
        #expect(fields.json.objectValue?.keys.sorted() == ["id", "login", "type"])
        #expect(try await ask(TestServer.subject.rawValue, token, fixture).status == 200)
        #expect(try await ask("client:service", token, fixture).status == 404)
        await fixture.server.stop()
    }

    @Test func `65 to 67: a token that is missing, bound, in the address or for elsewhere gets 401 and a challenge`()
        async throws
    {
        let fixture = try await ServiceFixture.start()
        let none = try await ask("me", nil, fixture)
        #expect(none.status == 401 && none.json["type"] == "error" && none.json["code"] == "unauthorized")
        #expect(none.headers["www-authenticate"]?.contains("resource_metadata=") == true)
        let prover = Prover(fixture.server)
        let tokens = try await prover.tokens(fixture.app)
        #expect(try await ask("me", tokens.accessToken, fixture).status == 401, "65: bound, and shown as a bearer's")
        let proof = try prover.proof(method: "GET", path: "/2.0/users/me", accessToken: tokens.accessToken)
        let proven = try await fixture.server.send(
            "GET", "/2.0/users/me", headers: [("Authorization", "DPoP \(tokens.accessToken)"), ("DPoP", proof)],
            body: nil)
        #expect(proven.status == 200, "\(proven.body)")
        let token = try await serviceToken(fixture)
        #expect(try await ask("me?access_token=\(token)", nil, fixture).status == 401, "66")
        let metadata = try await fixture.server.get("/.well-known/oauth-protected-resource")
        #expect(metadata.json["resource"]?.stringValue == fixture.server.issuer)
        #expect(metadata.json["authorization_servers"] == .array([.string(fixture.server.issuer)]))
        await fixture.server.stop()
    }
}
