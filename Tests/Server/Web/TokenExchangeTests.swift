import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
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

    @Test func `B8: the answer speaks of files and folders as Box does, and of nothing else as an object`() async throws
    {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        let folder = try await fixture.exchange(
            parent, as: nil, scope: "item_preview", resource: ["https://api.box.com/2.0/folders/0"])
        #expect(folder.json["restricted_to"]?.arrayValue?.first?["object"]?["type"] == "folder")
        for address in [
            "https://app.box.com/s/abc", "https://api.box.com/2.0/web_links/7", "https://x.example/things/7",
        ] {
            let answer = try await fixture.exchange(parent, as: nil, scope: "item_preview", resource: [address])
            #expect(
                answer.json["restricted_to"]
                    == .array([.object(["scope": "item_preview", "resource": .string(address)])]), "\(answer.body)")
            let read = answer.json["restricted_to"]?.arrayValue?.first.flatMap(RestrictedObject.init(json:))
            #expect(read == RestrictedObject(scope: "item_preview", resource: address))
            let claims = try ServiceFixture.claims(answer)
            #expect(claims["restricted_to"]?.arrayValue?.first?["object"]?["resource"]?.stringValue == address)
        }
        var form = TokenExchangeRequest(subjectToken: Secret(parent))
        form.scope = "item_preview"
        var parameters = TokenRequest.tokenExchange(form).parameters
        parameters.append("box_shared_link", "https://app.box.com/s/abc")
        let shared = try await fixture.server.post("/oauth2/token", parameters)
        #expect(shared.status == 200 && shared.json["restricted_to"]?.arrayValue?.first?["object"] == nil)
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
        let refused = try await fixture.server.get("/2.0/users/me", token: restricted)
        #expect(refused.status == 403 && refused.json["code"] == "insufficient_scope", "good, and not for this")
        #expect(refused.headers["www-authenticate"]?.contains("insufficient_scope") == true)
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
            ("another service", "item_preview", [ServiceFixture.api], "invalid_target"),
            ("dots", "item_preview", ["https://api.box.com/2.0/files/../9"], "invalid_target"),
            ("encoded dots", "item_preview", ["https://api.box.com/2.0/files/%2e%2e"], "invalid_target"),
            ("nothing between", "item_preview", ["https://api.box.com/2.0/files//9"], "invalid_target"),
            ("no web address", "item_preview", ["urn:a/b/c/ds/1"], "invalid_target"),
            ("nine", "item_preview", Array(repeating: Self.file, count: 9), "invalid_target"),
        ]
        for (name, scope, resource, error) in cases {
            let answer = try await fixture.exchange(parent, as: nil, scope: scope, resource: resource)
            #expect(answer.status == 400 && answer.error == error, "\(name): \(answer.body)")
        }
        for garbage in ["", "x", "a.b.c", String(parent.dropLast(3)) + "abc"] {
            #expect(try await fixture.exchange(garbage, as: nil).error == "invalid_request")
        }
        for audience in ["https://elsewhere.example", String(repeating: "x", count: 20_000)] {
            for client in [nil, fixture.service] {
                let answer = try await fixture.exchange(parent, as: client) { $0.audience = [audience + " "] }
                #expect(answer.error == "invalid_target")
            }
        }
        let secret = FormParameters([
            "grant_type": GrantType.tokenExchange.rawValue, "subject_token": parent, "client_secret": "wrong",
            "subject_token_type": TokenTypeIdentifier.accessToken.rawValue,
        ])
        #expect(try await fixture.server.post("/oauth2/token", secret).error == "invalid_client")
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

    @Test func `an audience that the server does not know is invalid_target, a client and a resource server are known`()
        async throws
    {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        for audience in ["https://b.example", "https://api.box.com/2.0/files/123", "urn:example:b", "nobody"] {
            for client in [nil, fixture.service] {
                let answer = try await fixture.exchange(parent, as: client) { $0.audience = [audience] }
                #expect(answer.status == 400 && answer.error == "invalid_target", "\(audience) \(answer.body)")
            }
        }
        for audience in [ServiceFixture.api, fixture.backend.id] {
            let answer = try await fixture.exchange(parent, as: fixture.service) { $0.audience = [audience] }
            #expect(try ServiceFixture.claims(answer)["aud"]?.stringValue == audience)
        }
        await fixture.server.stop()
    }

    @Test func `an address that the server does not know as a service restricts the token, whatever it looks like`()
        async throws
    {
        let fixture = try await ServiceFixture.start()
        let parent = try await service(fixture)
        for object in ["https://api.box.com/2.0/files/123/content", "https://a.example/folder/7", "https://a.example"] {
            let answer = try await fixture.exchange(
                parent, as: fixture.service, scope: "item_preview", resource: [object])
            #expect(answer.json["restricted_to"]?.arrayValue?.count == 1, "\(object): \(answer.body)")
            #expect(try ServiceFixture.claims(answer)["aud"]?.stringValue == fixture.server.issuer)
        }
        await fixture.server.stop()
    }
}
