import Identity
import Keyturn
import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("End to end: services that call services")
struct ServiceEndToEndTests {
    static let enterprise = "ent-1"
    static let file = "https://api.example.com/2.0/files/123"

    let server: TestServer
    let key: AssertionKey

    init() async throws {
        let signingKey = try SigningKey.generate(.es256)
        var published = signingKey.publicKey
        published.keyID = "k1"
        key = AssertionKey(keyID: "k1", signingKey: signingKey)
        let keys = JSONValue.object(["keys": [published.json]])
        let make = { (id: String, method: String, secret: String?) in
            let base = TestClients.make(id, method: method, secret: secret) {
                $0.grantTypes = [GrantType.clientCredentials, .jwtBearer].map(\.rawValue)
                $0.jwks = keys
                $0.scope = "openid profile email api.read item_preview"
            }
            return Client(
                id: base.id, metadata: base.metadata, secretDigests: base.secretDigests, isFirstParty: false,
                mayImpersonate: [.tenant(Self.enterprise)])
        }
        server = try await TestServer.start(
            clients: [
                make("reports", "client_secret_post", TestClients.webSecret), make("signing", "private_key_jwt", nil),
            ])
        try await server.services.stores.tenants.create(
            Tenant(id: Self.enterprise, name: "Example Enterprise", createdAt: server.clock.now))
        try await server.services.directory.reload()
        _ = try await server.services.stores.users.change(TestServer.subject, at: server.clock.now) {
            $0.memberships.tenants[Self.enterprise] = []
        }
    }

    private static let reports = ServiceApplication(clientID: "reports", clientSecret: TestClients.webSecret)

    private func client(
        _ credential: ServiceCredential, as application: ServiceApplication? = reports, ambient: Ambient? = nil
    ) -> ServiceClient {
        ServiceClient(
            credential, application: application, configuration: .keyturn(issuer: server.issuer),
            transport: DatedTransport(server.clock), ambient: ambient ?? server.clock.ambient)
    }

    private func verify(_ token: String, restricted: Bool = false) async throws -> VerifiedToken {
        let verifier = TokenVerifier(
            issuer: server.issuer, audience: server.issuer, keys: KeySet(issuer: server.issuer),
            acceptsRestrictedTokens: restricted)
        return try await verifier.verify(token, at: server.clock.now)
    }

    @Test func `a service's account, and the people for whom it acts`() async throws {
        let service = client(.clientCredentials(subject: .enterprise(Self.enterprise)))
        let me = try await service.call("GET", "/2.0/users/me")
        #expect(me["id"] == "client:reports")
        #expect(me["enterprise"]?["id"] == .string(Self.enterprise))
        #expect(try await verify(service.accessToken()).isClientsOwn)
        let person = try await service.acting(as: TestServer.subject.rawValue).call("GET", "/2.0/users/me")
        #expect(person["login"] == .string(TestServer.username))
        let error = await #expect(throws: AuthError(.refused, "")) {
            try await service.acting(as: "nobody").call("GET", "/2.0/users/me")
        }
        #expect(error?.server?.status == 403)
        await server.stop()
    }

    @Test func `a person's token says who acts`() async throws {
        let service = client(.clientCredentials(subject: .user(TestServer.subject.rawValue)))
        #expect(try await service.call("GET", "/2.0/users/me")["id"] == .string(TestServer.subject.rawValue))
        let token = try await verify(service.accessToken())
        #expect(token.subject == TestServer.subject.rawValue && !token.isClientsOwn)
        #expect(token.actor?.subject == "client:reports")
        #expect(throws: AuthError(.tokenInsufficient, "")) {
            try token.require(FreshnessPolicy(maxAgeSeconds: 1_000_000), at: server.clock.now)
        }
        let refused = client(.clientCredentials(subject: .user("somebody-else")))
        let error = await #expect(throws: AuthError(.refused, "")) { try await refused.accessToken() }
        #expect(error?.server?.code == "invalid_grant")
        await server.stop()
    }

    @Test func `a signed statement, from a machine whose clock is months off`() async throws {
        let application = ServiceApplication(clientID: "signing", authentication: .privateKeyJWT(key))
        for wrongBy: Int64 in [-10_000_000, 0, 10_000_000] {
            let clock = server.clock
            let ambient = Ambient(
                clock: { clock.now + wrongBy }, uptime: { clock.now.rawValue },
                entropy: { Ambient.live.randomBytes($0) })
            let service = client(
                .assertion(key, subject: .user(TestServer.subject.rawValue)), as: application, ambient: ambient)
            #expect(try await service.call("GET", "/2.0/users/me")["id"] == .string(TestServer.subject.rawValue))
        }
        await server.stop()
    }

    @Test func `a lesser token is good for one file, and for nothing that asks for none`() async throws {
        let service = client(.clientCredentials(subject: .enterprise(Self.enterprise)))
        let lesser = try await service.exchange(scope: Scope(names: ["item_preview"]), resource: Self.file)
        #expect(lesser.restrictedTo == [RestrictedObject(scope: "item_preview", resource: Self.file)])
        let preview = Scope(names: ["item_preview"])
        let token = try await verify(lesser.accessToken, restricted: true)
        try token.require(object: Self.file, scope: preview)
        for other in [Self.file + "4", Self.file.replacing("files", with: "folders")] {
            #expect(throws: AuthError(.tokenInsufficient, "")) { try token.require(object: other, scope: preview) }
        }
        await #expect(throws: AuthError(.tokenInsufficient, "")) { try await verify(lesser.accessToken) }
        let holder = client(.developerToken(lesser.accessToken), as: nil)
        await #expect(throws: AuthError.self, "this server's own resources ask for no file") {
            try await holder.call("GET", "/2.0/users/me")
        }
        await server.stop()
    }

    @Test func `a parent that was revoked is replaced once before an exchange fails`() async throws {
        let service = client(.clientCredentials(subject: .enterprise(Self.enterprise)))
        let first = try await service.accessToken()
        let form = FormParameters(["token": first, "client_id": "reports", "client_secret": TestClients.webSecret])
        #expect(try await server.post("/oauth2/revoke", form).status == 200)
        let lesser = try await service.exchange(scope: Scope(names: ["item_preview"]))
        #expect(!lesser.accessToken.isEmpty)
        #expect(try await service.accessToken() != first)
        await server.stop()
    }

    @Test func `what is destroyed is dead at the server too`() async throws {
        let service = client(.clientCredentials(subject: .enterprise(Self.enterprise)))
        let token = try await service.accessToken()
        let lesser = try await service.exchange(scope: Scope(names: ["api.read"]))
        try await service.acting(as: "x").destroy()
        for dead in [token, lesser.accessToken] {
            let holder = client(.developerToken(dead), as: nil)
            await #expect(throws: AuthError(.developerTokenRefused, "")) {
                try await holder.call("GET", "/2.0/users/me")
            }
        }
        await #expect(throws: AuthError(.clientDestroyed, "")) { try await service.call("GET", "/2.0/users/me") }
        await server.stop()
    }

    @Test func `a person who signed in through a container`() async throws {
        let auth = Keyturn(
            .keyturn(issuer: server.issuer, clientID: TestClients.tool.id), storage: .memory,
            browser: PersonAtBrowser(browser: server.browser()), transport: DatedTransport(server.clock),
            ambient: server.clock.ambient)
        try await auth.authorize(redirectURI: "http://127.0.0.1/callback")
        let service = client(.threeLegged(auth), as: nil)
        #expect(try await service.call("GET", "/2.0/users/me")["id"] == .string(TestServer.subject.rawValue))
        try await service.destroy()
        #expect(await auth.state.isSignedIn == false)
        await server.stop()
    }
}
