import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

@Suite("Clients that register themselves under attack")
struct RegistrationAbuseTests {
    private static let path = "/oauth2/register"

    private func call(
        _ server: TestServer, _ method: String, _ path: String = path, _ body: [String: JSONValue],
        token: String? = nil
    ) async throws -> EndpointAnswer {
        var headers = token.map { [("Authorization", "Bearer \($0)")] } ?? []
        headers.append(("Content-Type", "application/json"))
        let text = String(decoding: JSONValue.object(body).serialized, as: UTF8.self)
        return try await server.send(method, path, headers: headers, body: text)
    }

    private static let good: [String: JSONValue] = ["redirect_uris": ["http://127.0.0.1:9000/callback"]]

    @Test func `3: addresses of this server and of the operator's own apps cannot be registered`() async throws {
        let own = TestClients.make("own", method: "none", secret: nil, firstParty: true) {
            $0.redirectURIs = ["https://shop.example/callback"]
        }
        let foreign = TestClients.make("foreign", method: "none", secret: nil) {
            $0.redirectURIs = ["https://partner.example/callback"]
        }
        let server = try await TestServer.start(
            clients: [own, foreign], issuer: "https://id.example", registration: RegistrationSettings())
        let refused = [
            "https://id.example/oauth2/authorize", "https://id.example/device?user_code=BCDF-GHJK",
            "https://id.example:443/", "https://ID.example/", "HTTPS://id.example/", "https://id.example.:443/x",
            "https://id.example./", "https://shop.example/elsewhere", "https://shop.example",
        ]
        for uri in refused {
            for member in ["redirect_uris", "post_logout_redirect_uris"] {
                var members = Self.good
                members[member] = [.string(uri)]
                let answer = try await call(server, "POST", Self.path, members)
                #expect(answer.status == 400 && answer.error == "invalid_redirect_uri", "\(uri) \(answer.body)")
            }
        }
        for uri in ["https://id.example.org/", "https://id.example:8443/", "https://partner.example/callback"] {
            let answer = try await call(server, "POST", Self.path, ["redirect_uris": [.string(uri)]])
            #expect(answer.status == 201, "\(uri) \(answer.body)")
        }
        await server.stop()
    }

    @Test func `3: a scheme of one's own is a domain turned round, and none that means something already`()
        async throws
    {
        let own = TestClients.make("own", method: "none", secret: nil, firstParty: true) {
            $0.applicationType = "native"
            $0.redirectURIs = ["com.example.Shop:/callback"]
        }
        let server = try await TestServer.start(clients: [own], registration: RegistrationSettings())
        func register(_ uri: String) async throws -> EndpointAnswer {
            try await call(
                server, "POST", Self.path,
                [
                    "application_type": "native", "token_endpoint_auth_method": "none", "redirect_uris": [.string(uri)],
                ])
        }
        let refused = [
            "javascript.x:alert(1)", "data.x:y", "vbscript.x:y", "file.x:/", "about.x:y", "blob.x:y", "intent.x:y",
            "ms-settings.x:foo", "MS-Settings.x:foo", "com..app:/cb", "com.app.:/cb", "com.ex+ample:/cb",
            "com.-app:/cb", "com-.app:/cb", "com:/cb",
            // The operator's own app has it.
            "com.example.shop:/callback", "com.example.shop://other/path",
        ]
        for uri in refused {
            let answer = try await register(uri)
            #expect(answer.status == 400 && answer.error == "invalid_redirect_uri", "\(uri) \(answer.body)")
        }
        for uri in ["com.my-company.app2:/callback", "com.example.shop2:/callback"] {
            #expect(try await register(uri).status == 201)
        }
        await server.stop()
    }

    @Test func `a client gets no scope beyond OpenID's unless the operator listed it, whenever it registered`()
        async throws
    {
        var members = Self.good
        members["scope"] = "openid email api.read admin"
        let server = try await TestServer.start(registration: RegistrationSettings())
        let plain = try await call(server, "POST", Self.path, members)
        #expect(plain.json["scope"] == "openid email")
        // Registered while the operator listed it, and used after the operator took it back.
        let entry = Client(
            id: "early", metadata: TestClients.web.metadata, secretDigests: [],
            registration: ClientRegistration(tokenDigest: SecretDigest(of: Secret("t")), registeredAt: server.clock.now)
        )
        try await server.services.stores.clients.put(entry, at: server.clock.now)
        try await server.services.clients.reload()
        #expect(TestClients.web.scope?.contains("api.read") == true)
        #expect(Set(server.services.clients.client("early")?.scope?.names ?? []) == Set(Scope.standard))
        #expect(server.services.clients.client("web")?.scope?.contains("api.read") == true)
        await server.stop()
        let listed = RegistrationSettings(scope: Scope(names: ["openid", "api.read"]), strictAssertions: true)
        let open = try await TestServer.start(registration: listed)
        let answer = try await call(open, "POST", Self.path, members)
        #expect(answer.json["scope"] == "openid api.read")
        let id = answer.json["client_id"]?.stringValue ?? ""
        #expect(open.services.clients.client(id)?.strictAssertions == true)
        await open.stop()
    }

    @Test func `5: an error goes to an address that the signed-in user agreed to, and to no other`() async throws {
        let server = try await TestServer.start(registration: RegistrationSettings())
        let id = try await call(server, "POST", Self.path, Self.good).json["client_id"]?.stringValue ?? ""
        let client = try #require(server.services.clients.client(id))
        func ask(
            _ client: Client, in browser: ScriptedBrowser, _ change: (inout AuthorizationRequest) -> Void = { _ in }
        ) async throws -> ScriptedBrowser.Screen {
            var request = server.request(client, proof: PKCE(ambient: .live))
            request.scope = "openid"
            request.prompt = "none"
            change(&request)
            return try await server.authorize(request, in: browser)
        }
        let browser = server.browser()
        _ = try await server.signIn(client, proof: PKCE(ambient: .live), in: browser) { $0.scope = "openid" }
        #expect(try TestServer.callback(try await ask(client, in: browser))?.code != nil, "prompt=none works")
        #expect(
            try TestServer.callback(try await ask(client, in: browser) { $0.scope = "openid email" })?.refusal
                == .consentRequired)
        #expect(
            try TestServer.callback(try await ask(client, in: browser) { $0.scope = "nothing" })?.refusal
                == .invalidScope)
        server.clock.advance(60)
        let old = try TestServer.callback(try await ask(client, in: browser) { $0.maxAge = "1" })
        #expect(old?.refusal == .loginRequired && old?.state == "state-of-the-test")
        // No user is signed in here, and in the next browser it is a user who never agreed.
        #expect(try await ask(client, in: server.browser()).page == "error")
        try await server.addBea()
        let other = server.browser()
        _ = try await server.complete(
            try await server.authorize(server.request(TestClients.portal, proof: nil), in: other), in: other,
            username: "bea@example.com")
        #expect(try await ask(client, in: other).page == "error")
        // An address that the client adds later is asked about first.
        var moved = client.metadata
        moved.redirectURIs = (moved.redirectURIs ?? []) + ["https://elsewhere.example/callback"]
        let changed = Client(
            id: id, metadata: moved, secretDigests: client.secretDigests, registration: client.registration)
        try await server.services.stores.clients.put(changed, at: server.clock.now)
        try await server.services.clients.reload()
        let elsewhere = try await ask(changed, in: browser) { $0.redirectURI = "https://elsewhere.example/callback" }
        #expect(elsewhere.page == "error" && elsewhere.header("location") == nil)
        #expect(try TestServer.callback(try await ask(changed, in: browser))?.code != nil)
        await server.stop()
    }

    @Test func `62: keys that no signature would be believed of cannot be registered`() async throws {
        let server = try await TestServer.start(registration: RegistrationSettings())
        for (bits, status) in [(1_024, 400), (2_047, 400), (2_048, 201)] {
            var modulus = [UInt8](repeating: 0xB5, count: (bits + 7) / 8)
            if bits % 8 != 0 { modulus[0] = 0x7F }
            var members = Self.good
            let key: JSONValue = ["kty": "RSA", "n": .string(Base64URL.encode(modulus)), "e": "AQAB"]
            members["jwks"] = ["keys": [key]]
            let answer = try await call(server, "POST", Self.path, members)
            #expect(answer.status == status, "\(bits) \(answer.body)")
            if status == 400 { #expect(answer.error == "invalid_client_metadata") }
        }
        await server.stop()
    }

    @Test func `36: who promises signed requests needs keys, and the promise is kept`() async throws {
        let server = try await TestServer.start(registration: RegistrationSettings())
        var members = Self.good
        members["require_signed_request_object"] = true
        #expect(try await call(server, "POST", Self.path, members).error == "invalid_client_metadata")
        let key = try SigningKey.generate(.es256)
        members["jwks"] = ["keys": [key.publicKey.json]]
        let answer = try await call(server, "POST", Self.path, members)
        #expect(answer.status == 201 && answer.json["require_signed_request_object"] == true, "\(answer.body)")
        let client = try #require(server.services.clients.client(answer.json["client_id"]?.stringValue ?? ""))
        var request = server.request(client, proof: PKCE(ambient: .live))
        request.scope = "openid"
        let screen = try await server.authorize(request, in: server.browser())
        #expect(screen.status == 400 && screen.header("location") == nil && screen.body.contains("sign its requests"))
        await server.stop()
    }

    @Test func `115: a client changes itself so often, and what strangers do is written down once a minute`()
        async throws
    {
        let server = try await TestServer.start(
            registration: RegistrationSettings(initialAccessTokens: [SecretDigest(of: Secret("initial"))]))
        let entry = try await call(server, "POST", Self.path, Self.good, token: "initial").json
        let token = try #require(entry["registration_access_token"]?.stringValue)
        let id = try #require(entry["client_id"]?.stringValue)
        var change = Self.good
        change["client_id"] = .string(id)
        let path = "\(Self.path)?client_id=\(id)"
        for _ in 0..<Limits.registrationChangesMax {
            #expect(try await call(server, "PUT", path, change, token: token).status == 200)
        }
        let late = try await call(server, "PUT", path, change, token: token)
        #expect(late.status == 429 && late.headers["retry-after"] == "3600")
        for _ in 0..<5 { _ = try await call(server, "POST", Self.path, Self.good, token: "guessed") }
        _ = try await server.services.auditLog.flush()
        var query = AuditQuery()
        query.kinds = [.clientChanged, .clientRefused]
        let events = try await server.services.stores.audit.search(query)
        #expect(events.count { $0.kind == .clientChanged } == 1 && events.count { $0.kind == .clientRefused } == 1)
        server.clock.advance(3_600)
        #expect(try await call(server, "PUT", path, change, token: token).status == 200)
        await server.stop()
    }

    @Test func `115: a client with which nobody ever did anything makes room after a day`() async throws {
        let server = try await TestServer.start(registration: RegistrationSettings(clientsMax: 2))
        let used = try await call(server, "POST", Self.path, Self.good).json["client_id"]?.stringValue ?? ""
        let unused = try await call(server, "POST", Self.path, Self.good).json["client_id"]?.stringValue ?? ""
        #expect(try await call(server, "POST", Self.path, Self.good).status == 503)
        let client = try #require(server.services.clients.client(used))
        let response = try await server.signIn(client, proof: PKCE(ambient: .live)) { $0.scope = "openid" }
        #expect(response.code != nil)
        let upkeep = Upkeep(server.services) { _ in }
        server.clock.advance(86_399)
        await upkeep.removeExpired()
        #expect(server.services.clients.client(unused) != nil)
        server.clock.advance(1)
        await upkeep.removeExpired()
        #expect(server.services.clients.client(unused) == nil)
        #expect(server.services.clients.client("web") != nil, "the operator's stay")
        // Its grant is gone by then; that somebody agreed is remembered.
        server.clock.advance(40 * 86_400)
        await upkeep.removeExpired()
        #expect(server.services.clients.client(used) != nil)
        #expect(try await call(server, "POST", Self.path, Self.good).status == 201)
        await server.stop()
    }
}
