import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Tokens for services")
struct ServiceTokenTests {
    @Test func `B4: client credentials select the enterprise's account or a user`() async throws {
        let fixture = try await ServiceFixture.start()
        let enterprise = try await fixture.token(
            ["grant_type": "client_credentials", "box_subject_type": "enterprise", "box_subject_id": "ent-1"],
            as: fixture.service)
        let account = try ServiceFixture.claims(enterprise)
        #expect(account["sub"] == "client:service" && account["tenant"] == "ent-1")
        #expect(enterprise.json["refresh_token"] == nil && enterprise.json["token_type"] == "Bearer")
        #expect(enterprise.json["scope"] == "item_preview item_upload api.read")
        let user = try await fixture.token(
            [
                "grant_type": "client_credentials", "box_subject_type": "user",
                "box_subject_id": TestServer.subject.rawValue,
            ], as: fixture.service)
        let claims = try ServiceFixture.claims(user)
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue)
        #expect(claims["act"] == ["sub": "client:service"] && claims["auth_time"] == nil && claims["gid"] == nil)
        #expect(try await fixture.server.audited().contains("token.issued_for_user"))
        await fixture.server.stop()
    }

    @Test func `B4: nobody else's subject, and the same refusal for one who does not exist`() async throws {
        let fixture = try await ServiceFixture.start()
        try await fixture.server.addBea()
        var bodies: Set<String> = []
        for (type, id) in [
            ("enterprise", "ent-2"), ("user", "22222222-2222-4222-8222-222222222222"), ("user", "nobody"),
            ("user", "andy@example.com"),
        ] {
            let answer = try await fixture.token(
                ["grant_type": "client_credentials", "box_subject_type": type, "box_subject_id": id],
                as: fixture.service)
            #expect(answer.status == 400 && answer.error == "invalid_grant")
            bodies.insert(answer.body)
        }
        #expect(bodies.count == 1)
        for (type, id) in [("user", TestServer.subject.rawValue + "\u{0}x"), ("enterprise", "ent-1\u{0}")] {
            let answer = try await fixture.token(
                ["grant_type": "client_credentials", "box_subject_type": type, "box_subject_id": id],
                as: fixture.service)
            #expect(answer.error == "invalid_request", "a name with a zero byte is nobody's")
        }
        let signed = try await bearer(
            fixture.assertion(of: fixture.service, box(TestServer.subject.rawValue + "\u{0}x", "user")), fixture)
        #expect(signed.error == "invalid_grant")
        for client in [fixture.backend, TestClients.portal] {
            let answer = try await fixture.token(
                ["grant_type": "client_credentials", "box_subject_type": "enterprise", "box_subject_id": "ent-1"],
                as: client)
            #expect(answer.error == "invalid_grant", "a client without that right")
        }
        for half in [["box_subject_type": "user"], ["box_subject_id": "ent-1"]] as [KeyValuePairs<String, String?>] {
            var form = FormParameters(["grant_type": "client_credentials"])
            for (name, value) in half { form.append(name, value) }
            let answer = try await fixture.server.post("/oauth2/token", form, as: fixture.service)
            #expect(answer.error == "invalid_request")
        }
        await fixture.server.stop()
    }

    @Test func `what is for clients that authenticate is for no public client, though it is registered for it`()
        async throws
    {
        let types = TokenGrants.forAuthenticatedClients.map(\.rawValue)
        #expect(types.contains("client_credentials"))
        let open = TestClients.make("open", method: "none", secret: nil) { $0.grantTypes = types }
        let server = try await TestServer.start(clients: [open])
        for type in types {
            let answer = try await server.post("/oauth2/token", FormParameters(["grant_type": type]), as: open)
            #expect(answer.error == "unauthorized_client", "\(type)")
        }
        await server.stop()
    }

    @Test func `68: a client's subject is never a user's`() async throws {
        let fixture = try await ServiceFixture.start()
        let answer = try await fixture.token(["grant_type": "client_credentials"], as: fixture.service)
        #expect(try ServiceFixture.claims(answer)["sub"] == "client:service")
        let name = try await fixture.server.manage(
            "user/create", ["loginId": "client:service", "user": ["email": "x@example.com"]])
        #expect(name.json["user"]?["userId"]?.stringValue != "client:service")
        await fixture.server.stop()
    }

    @Test func `a token for a user is dead as soon as their sessions end or they are disabled`() async throws {
        let fixture = try await ServiceFixture.start()
        func issue() async throws -> String {
            let answer = try await fixture.token(
                [
                    "grant_type": "client_credentials", "box_subject_type": "user",
                    "box_subject_id": TestServer.subject.rawValue,
                ], as: fixture.service)
            return try #require(answer.json["access_token"]?.stringValue)
        }
        func isActive(_ token: String) async throws -> Bool? {
            let answer = try await fixture.server.post(
                "/oauth2/introspect", FormParameters(["token": token]), as: fixture.service)
            return answer.json["active"]?.boolValue
        }
        let first = try await issue()
        #expect(try await isActive(first) == true)
        _ = try await fixture.server.services.stores.grants.endEverything(
            of: TestServer.subject, reason: .administrator, at: fixture.server.clock.now)
        #expect(try await isActive(first) == false, "51: families dead immediately")
        let second = try await issue()
        #expect(try await isActive(second) == true)
        _ = try await fixture.server.services.stores.users.change(TestServer.subject, at: fixture.server.clock.now) {
            $0.user.status = .disabled
        }
        #expect(try await isActive(second) == false)
        #expect(try await fixture.server.get("/2.0/users/me", token: second).status == 401)
        await fixture.server.stop()
    }

    @Test func `client credentials with a resource are for that resource`() async throws {
        let fixture = try await ServiceFixture.start()
        let answer = try await fixture.token(
            ["grant_type": "client_credentials", "resource": ServiceFixture.api], as: fixture.service)
        #expect(try ServiceFixture.claims(answer)["aud"]?.stringValue == ServiceFixture.api)
        let token = try #require(answer.json["access_token"]?.stringValue)
        #expect(try await fixture.server.get("/2.0/users/me", token: token).status == 401, "67: not for this server")
        let fragment = try await fixture.token(
            ["grant_type": "client_credentials", "resource": "https://api.example.com#x"], as: fixture.service)
        #expect(fragment.error == "invalid_target")
        await fixture.server.stop()
    }

    private func bearer(_ assertion: String, _ fixture: ServiceFixture) async throws -> EndpointAnswer {
        try await fixture.token(
            ["grant_type": GrantType.jwtBearer.rawValue, "assertion": assertion], as: fixture.service)
    }

    private func box(_ subject: String, _ type: String, _ changes: [String: JSONValue?] = [:]) -> [String: JSONValue?] {
        var claims: [String: JSONValue?] = [
            "sub": .string(subject), "box_sub_type": .string(type), "aud": .string(ServiceFixture.issuerOfBox),
        ]
        claims.merge(changes) { _, new in new }
        return claims
    }

    @Test func `B5: an assertion as Box's clients make it stands for the enterprise or a user`() async throws {
        let fixture = try await ServiceFixture.start()
        let enterprise = try await bearer(
            fixture.assertion(of: fixture.service, box("ent-1", "enterprise")), fixture)
        #expect(try ServiceFixture.claims(enterprise)["tenant"] == "ent-1")
        let user = try await bearer(
            fixture.assertion(of: fixture.service, box(TestServer.subject.rawValue, "user")), fixture)
        #expect(try ServiceFixture.claims(user)["sub"]?.stringValue == TestServer.subject.rawValue)
        for audience in [fixture.server.issuer, fixture.server.issuer + "/oauth2/token"] {
            let answer = try await bearer(
                fixture.assertion(of: fixture.service, ["aud": .string(audience)]), fixture)
            #expect(try ServiceFixture.claims(answer)["sub"] == "client:service")
        }
        await fixture.server.stop()
    }

    @Test func `B5: what is wrong with an assertion is refused, and its words let a client correct its clock`()
        async throws
    {
        let fixture = try await ServiceFixture.start()
        let now = fixture.server.clock.now.rawValue
        let cases: [(String, [String: JSONValue?], String)] = [
            ("years ahead", ["exp": .integer(now + 63_072_000)], "exp"),
            ("years behind", ["exp": .integer(now - 63_072_000)], "exp"),
            ("no exp", ["exp": nil], "exp"), ("no jti", ["jti": nil], "jti"),
            ("another audience", ["aud": "https://elsewhere.example"], "aud"),
            ("another issuer", ["iss": "keyed"], "iss"), ("another type", ["box_sub_type": "group"], "box_sub_type"),
            ("a type that does not fit", ["box_sub_type": "user"], "may_impersonate"),
        ]
        for (name, changes, word) in cases {
            let answer = try await bearer(
                fixture.assertion(of: fixture.service, box("ent-1", "enterprise", changes)), fixture)
            #expect(answer.status == 400 && answer.error == "invalid_grant", "\(name): \(answer.body)")
            #expect(answer.json["error_description"]?.stringValue?.contains(word) == true, "\(name): \(answer.body)")
            #expect(answer.headers["date"] != nil, "clients set their clock by it")
        }
        let access = try await bearer(
            fixture.assertion(of: fixture.service, box("ent-1", "enterprise"), type: "at+jwt"), fixture)
        #expect(access.error == "invalid_grant", "58: another kind of token")
        await fixture.server.stop()
    }

    @Test func `B5: an assertion is good for as long as its client may have it, to the second`() async throws {
        let fixture = try await ServiceFixture.start()
        let skew = Limits.assertionSkewSeconds
        for (seconds, allowed) in [(nil, Limits.grantAssertionSeconds), (60, 60), (3_600, 3_600)] as [(Int64?, Int64)] {
            let client = Client(
                id: "service", metadata: fixture.service.metadata, secretDigests: fixture.service.secretDigests,
                assertionAudiences: [ServiceFixture.issuerOfBox], assertionSeconds: seconds,
                mayImpersonate: [.tenant("ent-1")])
            try await fixture.server.services.stores.clients.put(client, at: fixture.server.clock.now)
            try await fixture.server.services.clients.reload()
            let now = fixture.server.clock.now.rawValue
            for (beyond, status) in [(0, 200), (1, 400)] as [(Int64, Int)] {
                let end = JSONValue.integer(now + allowed + skew + beyond)
                let answer = try await bearer(
                    fixture.assertion(of: client, box("ent-1", "enterprise", ["exp": end])), fixture)
                #expect(answer.status == status, "\(allowed): \(answer.body)")
            }
        }
        await fixture.server.stop()
    }

    @Test func `38: of fifty parallel uses of one grant assertion one counts`() async throws {
        let fixture = try await ServiceFixture.start()
        let assertion = fixture.assertion(of: fixture.service, box("ent-1", "enterprise"))
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<50 { group.addTask { try await bearer(assertion, fixture).status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 49)
        let again = try await bearer(assertion, fixture)
        #expect(try await fixture.server.audited().contains("assertion.replayed"))
        #expect(again.json["error_description"]?.stringValue?.contains("jti") == true)
        await fixture.server.stop()
    }

    @Test func `B9: revoking answers with JSON, kills the token, and knows nothing of others' tokens`() async throws {
        let fixture = try await ServiceFixture.start()
        let answer = try await fixture.token(["grant_type": "client_credentials"], as: fixture.service)
        let token = try #require(answer.json["access_token"]?.stringValue)
        let others = try await fixture.server.post(
            "/oauth2/revoke", FormParameters(["token": token]), as: fixture.backend)
        #expect(others.status == 200 && others.body == "{}", "70: a foreign token is left alone")
        #expect(try await fixture.server.get("/2.0/users/me", token: token).status == 200)
        let own = try await fixture.server.post(
            "/oauth2/revoke", FormParameters(["token": token]), as: fixture.service)
        #expect(own.status == 200 && own.body == "{}")
        #expect(try await fixture.server.get("/2.0/users/me", token: token).status == 401)
        let garbage = try await fixture.server.post(
            "/oauth2/revoke", FormParameters(["token": "nothing"]), as: fixture.service)
        #expect(garbage.status == 200 && garbage.body == "{}")
        await fixture.server.stop()
    }
}
