import Identity
import KeyturnBase
import KeyturnWire
import Model
import OAuth
import ServerTesting
import Testing

/// What an operator takes away ends with the next use, and not with the grant.
@Suite("Tokens: no more than is allowed now")
struct AllowedNowTests {
    private static let client = TestClients.make("app", method: "client_secret_basic", secret: TestClients.webSecret) {
        $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue]
    }

    private func change(
        _ server: TestServer, of client: Client = client, _ edit: (inout ClientMetadata) -> Void
    ) async throws {
        var metadata = client.metadata
        edit(&metadata)
        try await server.services.stores.clients.put(
            Client(
                id: client.id, metadata: metadata, secretDigests: client.secretDigests,
                isFirstParty: client.isFirstParty), at: server.clock.now)
        try await server.services.clients.reload()
    }

    private func introspect(_ token: String?, _ server: TestServer) async throws -> JSONValue {
        try await server.post("/oauth2/introspect", FormParameters(["token": token ?? ""]), as: Self.client).json
    }

    private func userInfo(_ token: String?, _ server: TestServer) async throws -> EndpointAnswer {
        try await server.send(
            "GET", "/oauth2/userinfo", headers: [("Authorization", "Bearer \(token ?? "")")], body: nil)
    }

    @Test func `a scope that the client lost is in no refresh, and at no endpoint`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let tokens = try await server.tokens(Self.client)
        try await change(server) { $0.scope = "openid offline_access" }
        #expect(try await Set(userInfo(tokens.accessToken, server).json.objectValue?.keys ?? [:].keys) == ["sub"])
        let introspected = try await introspect(tokens.accessToken, server)
        #expect(introspected["active"] == true && introspected["scope"] == "openid offline_access")
        #expect(try await introspect(tokens.refreshToken, server)["scope"] == "openid offline_access")
        let more = try await server.refresh(tokens.refreshToken, Self.client, scope: "openid email")
        #expect(more.error == "invalid_scope")
        let answer = try await server.refresh(tokens.refreshToken, Self.client)
        #expect(answer.json["scope"] == "openid offline_access")
        #expect(
            try await Set(userInfo(answer.json["access_token"]?.stringValue, server).json.objectValue?.keys ?? [:].keys)
                == ["sub"])
        // It is allowed again, and counts again.
        try await change(server) { _ in }
        let later = try await server.refresh(answer.json["refresh_token"]?.stringValue, Self.client)
        #expect(later.json["scope"]?.stringValue?.contains("email") == true)
        await server.stop()
    }

    @Test func `if no scope is left the refresh is refused, nothing is spent, and the grant stays`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let tokens = try await server.tokens(Self.client)
        try await change(server) { $0.scope = "api.read" }
        for _ in 0..<2 {
            let refused = try await server.refresh(tokens.refreshToken, Self.client)
            #expect(refused.status == 400 && refused.error == "invalid_scope")
        }
        #expect(try await introspect(tokens.accessToken, server) == ["active": false])
        #expect(try await introspect(tokens.refreshToken, server) == ["active": false])
        #expect(try await userInfo(tokens.accessToken, server).status == 401)
        server.clock.advance(120)
        try await change(server) { _ in }
        let answer = try await server.refresh(tokens.refreshToken, Self.client)
        #expect(answer.status == 200, "the token was not spent")
        #expect(try await introspect(answer.json["refresh_token"]?.stringValue, server)["active"] == true)
        await server.stop()
    }

    @Test func `a resource that the project lost is in no refresh and no answer, and none left is invalid_target`()
        async throws
    {
        let (old, new) = ("https://old.example.com", "https://new.example.com")
        let both = try await TestServer.start(clients: [Self.client]) { issuer in
            Project(id: "test", name: "Test", issuer: issuer, resources: [old, new])
        }
        let one = try await both.tokens(Self.client) { $0.resource = [old] }
        let two = try await both.tokens(Self.client) { $0.resource = [old, new] }
        let plain = try await both.tokens(Self.client) {
            $0.resource = [old]
            $0.scope = "api.read"
        }
        #expect(try await introspect(one.accessToken, both)["aud"]?.stringArrayValue?.contains(old) == true)
        // As after a restart with another file.
        let less = try await TestServer.start(on: both.database, issuer: both.issuer) { issuer in
            Project(id: "test", name: "Test", issuer: issuer, resources: [new])
        }
        #expect(try await less.refresh(one.refreshToken, Self.client).error == "invalid_target")
        #expect(try await less.refresh(plain.refreshToken, Self.client).error == "invalid_target")
        #expect(try await introspect(plain.accessToken, less) == ["active": false])
        #expect(try await introspect(one.accessToken, less)["aud"]?.stringArrayValue?.contains(old) == false)
        let narrowed = try await less.refresh(two.refreshToken, Self.client)
        #expect(
            try await introspect(narrowed.json["access_token"]?.stringValue, less)["aud"]?.stringArrayValue?
                .contains(old) == false)
        // Neither refusal spent anything.
        #expect(try await both.refresh(one.refreshToken, Self.client).status == 200)
        #expect(try await both.refresh(plain.refreshToken, Self.client).status == 200)
        await less.stop()
        await both.stop()
    }

    @Test func `an exchange gives nothing that the first client lost`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let tokens = try await server.tokens(Self.client)
        func exchange(_ scope: String?) async throws -> EndpointAnswer {
            var form = FormParameters([
                "grant_type": GrantType.tokenExchange.rawValue, "subject_token": tokens.accessToken,
                "subject_token_type": TokenTypeIdentifier.accessToken.rawValue,
            ])
            form.append("scope", scope)
            return try await server.post("/oauth2/token", form, as: Self.client)
        }
        let before = try await exchange("openid email")
        try await change(server) { $0.scope = "openid profile" }
        #expect(try await exchange("openid email").error == "invalid_scope")
        #expect(try await exchange(nil).json["scope"] == "openid profile")
        #expect(try await introspect(before.json["access_token"]?.stringValue, server)["scope"] == "openid")
        try await change(server) { $0.scope = "api.write" }
        #expect(try await exchange(nil).error == "invalid_scope")
        await server.stop()
    }

    @Test func `claims that the client may not ask for any more are told no more`() async throws {
        let client = TestClients.make(
            "own", method: "client_secret_basic", secret: TestClients.webSecret, firstParty: true)
        let server = try await TestServer.start(clients: [client])
        let tokens = try await server.tokens(client) {
            $0.scope = "openid offline_access"
            $0.claims = #"{"userinfo":{"email":null},"id_token":{"email":null}}"#
        }
        #expect(try await userInfo(tokens.accessToken, server).json["email"] != nil)
        try await change(server, of: client) { $0.scope = "openid offline_access" }
        #expect(try await userInfo(tokens.accessToken, server).json["email"] == nil)
        let answer = try await server.refresh(tokens.refreshToken, client)
        let payload = answer.json["id_token"]?.stringValue?.split(separator: ".")[1] ?? ""
        #expect(try JSONValue(parsing: try #require(Base64URL.decode(payload)))["email"] == nil)
        await server.stop()
    }
}
