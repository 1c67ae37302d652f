import Foundation
import Identity
import KeyturnBase
import KeyturnTesting
import KeyturnWire
import Testing

@Suite("Token exchange (RFC 8693)")
struct TokenExchangeTests {
    private static let file = "https://api.box.com/2.0/files/123"

    private func isActive(_ token: String?, _ fixture: ServiceFixture, as client: Client) async throws -> Bool? {
        let form = FormParameters(["token": token])
        return try await fixture.server.post("/oauth2/introspect", form, as: client).json["active"]?.boolValue
    }

    private func access(_ answer: EndpointAnswer) throws -> String {
        try #require(answer.json["access_token"]?.stringValue, "\(answer.body)")
    }

    private func service(_ fixture: ServiceFixture) async throws -> String {
        try access(try await fixture.token(["grant_type": "client_credentials"], as: fixture.service))
    }

    @Test func `B8: whoever has a token gets less of it, without any client's name`() async throws {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        let answer = try await fixture.exchange(parent, as: nil, scope: "item_preview", resource: [Self.file])
        #expect(answer.status == 200, "\(answer.body)")
        #expect(answer.json["issued_token_type"]?.stringValue == TokenTypeIdentifier.accessToken.rawValue)
        #expect(answer.json["refresh_token"] == nil && answer.json["scope"] == "item_preview")
        let object: JSONValue = ["type": "file", "id": "123", "resource": .string(Self.file)]
        #expect(answer.json["restricted_to"] == .array([.object(["scope": "item_preview", "object": object])]))
        let claims = try ServiceFixture.claims(answer)
        #expect(claims["restricted_to"] == answer.json["restricted_to"] && claims["client_id"] == "service")
        #expect(claims["act"] == nil, "nobody else acts")
        let headers = [("Authorization", "Bearer \(parent)"), ("Content-Type", "application/x-www-form-urlencoded")]
        var form = TokenExchangeRequest(subjectToken: Secret(parent))
        form.scope = "item_preview"
        let body = TokenRequest.tokenExchange(form).parameters.encoded
        let legacy = try await fixture.server.send("POST", "/oauth2/token", headers: headers, body: body)
        #expect(legacy.status == 200 && legacy.json["restricted_to"] == [], "older clients send the token twice")
        await fixture.server.stop()
    }

    @Test func `B8: an exchanged token ends with its parent, and never later`() async throws {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        fixture.server.clock.advance(590)
        let answer = try await fixture.exchange(parent, as: fixture.service, scope: "item_preview")
        #expect(answer.json["expires_in"] == 10)
        #expect(try await isActive(access(answer), fixture, as: fixture.service) == true)
        fixture.server.clock.advance(10)
        #expect(try await isActive(access(answer), fixture, as: fixture.service) == false)
        #expect(try await fixture.exchange(parent, as: nil, scope: "item_preview").error == "invalid_request")
        await fixture.server.stop()
    }

    @Test func `revoking a token ends what was made of it, and not what it was made of`() async throws {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        let child = try access(try await fixture.exchange(parent, as: nil, scope: "item_preview item_upload"))
        let grandchild = try access(try await fixture.exchange(child, as: nil, scope: "item_preview"))
        let sibling = try access(try await fixture.exchange(parent, as: nil, scope: "item_preview"))
        _ = try await fixture.server.post("/oauth2/revoke", FormParameters(["token": child]), as: fixture.service)
        #expect(try await isActive(grandchild, fixture, as: fixture.service) == false)
        #expect(try await isActive(parent, fixture, as: fixture.service) == true)
        #expect(try await isActive(sibling, fixture, as: fixture.service) == true)
        _ = try await fixture.server.post("/oauth2/revoke", FormParameters(["token": parent]), as: fixture.service)
        #expect(try await isActive(sibling, fixture, as: fixture.service) == false)
        await fixture.server.stop()
    }

    @Test func `a person's token: the end of the session ends what was made of it`() async throws {
        let fixture = try await ServiceFixture.start()
        let tokens = try await fixture.server.tokens(fixture.app) { $0.scope = "openid profile item_preview api.read" }
        let child = try await fixture.exchange(tokens.accessToken, as: fixture.app, scope: "openid profile")
        let claims = try ServiceFixture.claims(child)
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue && claims["auth_time"] != nil)
        #expect(try await fixture.server.get("/oauth2/userinfo", token: access(child)).status == 200)
        _ = try await fixture.server.post("/oauth2/revoke", FormParameters(["token": access(child)]), as: fixture.app)
        #expect(try await fixture.server.get("/oauth2/userinfo", token: access(child)).status == 401)
        #expect(
            try await fixture.server.get("/oauth2/userinfo", token: tokens.accessToken).status == 200,
            "whoever holds the lesser token cannot end the session")
        let other = try await fixture.exchange(tokens.accessToken, as: fixture.app, scope: "openid profile")
        _ = try await fixture.server.post(
            "/oauth2/revoke", FormParameters(["token": tokens.refreshToken]), as: fixture.app)
        #expect(try await fixture.server.get("/oauth2/userinfo", token: access(other)).status == 401)
        await fixture.server.stop()
    }

    @Test func `a restricted token opens nothing of this server, and only ever gets narrower`() async throws {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        let restricted = try access(
            try await fixture.exchange(parent, as: nil, scope: "item_preview item_upload", resource: [Self.file]))
        #expect(try await fixture.server.get("/2.0/users/me", token: restricted).status == 401)
        let narrower = try await fixture.exchange(restricted, as: nil, scope: "item_preview")
        #expect(narrower.json["restricted_to"]?.arrayValue?.count == 1, "it stays restricted though nothing was said")
        let same = try await fixture.exchange(restricted, as: nil, scope: "item_preview", resource: [Self.file])
        #expect(same.status == 200)
        let elsewhere = try await fixture.exchange(
            restricted, as: nil, scope: "item_preview", resource: ["https://api.box.com/2.0/files/124"])
        #expect(elsewhere.error == "invalid_target")
        let wider = try await fixture.exchange(
            narrower.json["access_token"]?.stringValue ?? "", as: nil, scope: "item_upload")
        #expect(wider.error == "invalid_scope")
        await fixture.server.stop()
    }

    @Test func `more than the parent allows is refused, and says nothing new`() async throws {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        let cases: [(String, String?, [String], String)] = [
            ("another scope", "item_delete", [], "invalid_scope"), ("openid", "openid", [], "invalid_scope"),
            ("a broken scope", "a\"b", [], "invalid_scope"),
            ("two objects", "item_preview", [Self.file, "https://api.box.com/2.0/files/9"], "invalid_target"),
            ("no address", "item_preview", ["files/123"], "invalid_target"),
            ("a fragment", "item_preview", [Self.file + "#x"], "invalid_target"),
            ("another service", "item_preview", ["https://elsewhere.example"], "invalid_target"),
            ("nine", "item_preview", Array(repeating: Self.file, count: 9), "invalid_target"),
        ]
        for (name, scope, resource, error) in cases {
            let answer = try await fixture.exchange(parent, as: nil, scope: scope, resource: resource)
            #expect(answer.status == 400 && answer.error == error, "\(name): \(answer.body)")
        }
        for garbage in ["", "x", "a.b.c", String(parent.dropLast(3)) + "abc"] {
            #expect(try await fixture.exchange(garbage, as: nil).error == "invalid_request")
        }
        let refresh = try await fixture.exchange(parent, as: nil) { $0.subjectTokenType = .refreshToken }
        #expect(refresh.error == "invalid_request")
        let wanted = try await fixture.exchange(parent, as: nil) { $0.requestedTokenType = .refreshToken }
        #expect(wanted.error == "invalid_request", "nothing that lasts comes of an exchange")
        #expect(try await fixture.token(["grant_type": "client_credentials"], as: nil).error == "invalid_client")
        #expect(try await fixture.exchange(parent, as: TestClients.portal).error == "unauthorized_client")
        await fixture.server.stop()
    }

    @Test func `a chain of exchanges ends`() async throws {
        let fixture = try await ServiceFixture.start()
        var token = try await service(fixture)
        for _ in 0..<Limits.exchangesMax { token = try access(try await fixture.exchange(token, as: nil)) }
        #expect(try await fixture.exchange(token, as: nil).error == "invalid_request")
        await fixture.server.stop()
    }

    @Test func `delegation: a backend goes on with a token that is meant for it, and is named as the actor`()
        async throws
    {
        let fixture = try await ServiceFixture.start()
        let tokens = try await fixture.server.tokens(fixture.app) {
            $0.scope = "profile api.read"
            $0.resource = [ServiceFixture.api]
        }
        let answer = try await fixture.exchange(
            tokens.accessToken, as: fixture.backend, resource: [ServiceFixture.downstream])
        let claims = try ServiceFixture.claims(answer)
        #expect(claims["act"] == ["sub": "client:backend"] && claims["client_id"] == "backend")
        #expect(claims["aud"]?.stringValue == ServiceFixture.downstream && claims["scope"] == "api.read")
        #expect(claims["sub"]?.stringValue == TestServer.subject.rawValue)
        #expect(try await fixture.server.audited().contains("token.exchanged"))
        let stranger = try await fixture.exchange(tokens.accessToken, as: fixture.service)
        #expect(stranger.error == "unauthorized_client", "it is neither the service's nor meant for it")
        for service in [fixture.server.issuer, "https://never.heard.example", "app"] {
            let answer = try await fixture.exchange(tokens.accessToken, as: fixture.backend, resource: [service])
            #expect(answer.error == "invalid_target", "67: \(service)")
        }
        let own = try await fixture.exchange(tokens.accessToken, as: fixture.backend)
        #expect(try ServiceFixture.claims(own)["aud"]?.stringValue == ServiceFixture.api)
        await fixture.server.stop()
    }

    @Test func `67: two exchanges lead nowhere that one does not`() async throws {
        let fixture = try await ServiceFixture.start()
        let tokens = try await fixture.server.tokens(fixture.app) {
            $0.scope = "openid profile api.read"
            $0.resource = [ServiceFixture.api]
        }
        let there = try await fixture.exchange(
            tokens.accessToken, as: fixture.app, resource: [ServiceFixture.downstream])
        #expect(there.error == "invalid_target")
        let narrowed = try await fixture.exchange(tokens.accessToken, as: fixture.app) {
            $0.audience = [fixture.server.issuer]
        }
        let around = try await fixture.exchange(
            access(narrowed), as: fixture.app, resource: [ServiceFixture.downstream])
        #expect(around.error == "invalid_target")
        await fixture.server.stop()
    }

    @Test func `what was made of a token ends with the right that it rests on`() async throws {
        let fixture = try await ServiceFixture.start()
        let user = try await fixture.token(
            [
                "grant_type": "client_credentials", "box_subject_type": "user",
                "box_subject_id": TestServer.subject.rawValue, "resource": ServiceFixture.api,
            ], as: fixture.service)
        let handed = try await fixture.exchange(access(user), as: fixture.backend)
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == true)
        let stores = fixture.server.services.stores
        let now = fixture.server.clock.now
        try await stores.clients.put(fixture.service.acting([]), at: now)
        try await fixture.server.services.clients.reload()
        #expect(try await isActive(access(user), fixture, as: fixture.backend) == false, "the right was withdrawn")
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == false)
        try await stores.clients.put(fixture.service, at: now)
        try await fixture.server.services.clients.reload()
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == true)
        _ = try await stores.users.change(TestServer.subject, at: now) { $0.memberships.tenants = [:] }
        #expect(try await isActive(access(handed), fixture, as: fixture.backend) == false, "they left the enterprise")
        _ = try await stores.clients.remove("service", at: now)
        try await fixture.server.services.clients.reload()
        #expect(try await fixture.exchange(access(user), as: fixture.backend).error == "invalid_request")
        await fixture.server.stop()
    }

    @Test func `delegation: an actor's token names who acts, the newest outermost`() async throws {
        let fixture = try await ServiceFixture.start()
        let user = try await fixture.token(
            [
                "grant_type": "client_credentials", "box_subject_type": "user",
                "box_subject_id": TestServer.subject.rawValue,
            ], as: fixture.service)
        let actor = try await service(fixture)
        let answer = try await fixture.exchange(access(user), as: fixture.service) {
            $0.actorToken = Secret(actor)
            $0.actorTokenType = .accessToken
        }
        #expect(try ServiceFixture.claims(answer)["act"] == ["sub": "client:service"], "who acts already acts once")
        _ = try await fixture.server.post("/oauth2/revoke", FormParameters(["token": actor]), as: fixture.service)
        #expect(
            try await isActive(access(answer), fixture, as: fixture.service) == false, "it ends with the actor's token")
        let laundered = try await fixture.exchange(access(user), as: fixture.service) {
            $0.actorToken = Secret(user.json["access_token"]?.stringValue ?? "")
            $0.actorTokenType = .accessToken
        }
        #expect(laundered.error == "invalid_request", "nobody acts in the name of somebody who did nothing")
        let nameless = try await fixture.exchange(access(user), as: nil) {
            $0.actorToken = Secret(actor)
            $0.actorTokenType = .accessToken
        }
        #expect(nameless.error == "invalid_request", "who acts must authenticate")
        let half = try await fixture.exchange(access(user), as: fixture.service) { $0.actorToken = Secret(actor) }
        #expect(half.error == "invalid_request")
        await fixture.server.stop()
    }

    @Test func `65: a token that is bound to a key is exchanged with a proof of it, and stays bound`() async throws {
        let fixture = try await ServiceFixture.start()
        let prover = Prover(fixture.server)
        let tokens = try await prover.tokens(fixture.app)
        #expect(tokens.tokenType == "DPoP")
        #expect(try await fixture.exchange(tokens.accessToken, as: fixture.app).error == "invalid_dpop_proof")
        #expect(try await fixture.exchange(tokens.accessToken, as: nil).error == "invalid_dpop_proof")
        let form = TokenRequest.tokenExchange(TokenExchangeRequest(subjectToken: Secret(tokens.accessToken))).parameters
        let thief = try await fixture.server.post(
            "/oauth2/token", form, headers: [("DPoP", try Prover(fixture.server).proof())])
        #expect(thief.error == "invalid_request", "65: another key")
        var declining = form
        declining.append("dpop_bound_access_tokens", "false")
        for form in [form, declining] {
            let answer = try await fixture.server.post("/oauth2/token", form, headers: [("DPoP", try prover.proof())])
            #expect(try ServiceFixture.claims(answer)["cnf"]?["jkt"]?.stringValue == prover.thumbprint)
            #expect(answer.json["token_type"] == "DPoP")
        }
        await fixture.server.stop()
    }
}
