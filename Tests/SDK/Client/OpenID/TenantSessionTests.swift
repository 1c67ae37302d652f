import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Sessions of a provider with many tenants, and of Azure AD B2C")
struct TenantSessionTests {
    private let world: World

    init() throws {
        world = try World()
    }

    /// A container in which a user of ``FakeTenants/own`` has signed in.
    private func signedIn(_ tenants: Service.Tenants = .anyTenant) async throws -> Keyturn {
        await world.signsIn(FakeTenants.own)
        let auth = world.container(of: tenants)
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.service.set { $0.renewsIDToken = true }
        return auth
    }

    /// The container of the stored session, whatever its service was.
    private func stored(_ transport: FakeTenants) async throws -> Keyturn {
        try #require(
            try await Keyturn.stored(
                name: "default", storage: .custom(world.store), browser: FakeBrowser(service: world.service),
                transport: transport, ambient: world.clock.ambient))
    }

    @Test(arguments: [.anyTenant, [FakeTenants.own, FakeTenants.other]] as [Service.Tenants])
    func `a session is renewed after a restart, by the same app and by one that knows its name alone`(
        _ tenants: Service.Tenants
    ) async throws {
        let before = try #require(try await signedIn(tenants).idToken)
        world.clock.advance(600)
        let restarted = world.container(of: tenants)
        #expect(try await restarted.start().isSignedIn)
        #expect(try await restarted.fetchAPI() == 200)
        #expect(try await restarted.refreshIDToken().issuer == before.issuer)
        world.clock.advance(600)
        let stored = try await stored(FakeTenants(service: world.service))
        #expect(stored.service.tenants == tenants && stored.service.issuer == FakeTenants.common)
        #expect(try await stored.fetchAPI() == 200)
        #expect(try await stored.refreshIDToken().issuedAt == world.clock.now)
        let record = try SessionRecord(try #require(await world.store.read("default").record))
        #expect(record.service?.tenants == tenants && record.hasTenants)
        #expect(record.idToken?.issuer == FakeTenants.name(FakeTenants.own))
        #expect(try SessionRecord(record.stored) == record)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let name: String
        let tenant: String
        var issuer: String?
        var testDescription: String { name }
    }

    static let changes = [
        Change(name: "another tenant", tenant: FakeTenants.other),
        Change(name: "another tid", tenant: FakeTenants.other, issuer: FakeTenants.name(FakeTenants.own)),
        Change(name: "another iss", tenant: FakeTenants.own, issuer: FakeTenants.name(FakeTenants.other)),
    ]

    @Test(arguments: changes)
    func `a renewal that names another tenant with the same sub is not used`(_ change: Change) async throws {
        let auth = try await signedIn()
        let before = try #require(await auth.keeper.machine.record)
        world.clock.advance(600)
        await world.signsIn(change.tenant, issuer: change.issuer)
        let error = await #expect(throws: AuthError(.tokenMisdirected, "")) { try await auth.accessToken() }
        #expect(error?.detail.contains("§12.2") == true)
        let record = try #require(await auth.keeper.machine.record)
        #expect(record.accessToken == before.accessToken && record.refreshToken == before.refreshToken)
        #expect(record.idToken == before.idToken && auth.cachedAccessToken() == nil)
        #expect(await auth.state == .signedIn(.interactionRequired))
    }

    @Test func `a renewed ID token is verified as the first one was`() async throws {
        let auth = try await signedIn()
        let record = try #require(await auth.keeper.machine.record)
        func verify() async throws -> IDToken {
            let token = try await world.service.idToken(nonce: nil, authTime: world.clock.now.rawValue)
            return try await auth.provider.verify(renewedIDToken: token, of: record)
        }
        #expect(try await verify().subject == "andy")
        for (tenant, issuer) in [
            (FakeTenants.other, FakeTenants.name(FakeTenants.other)),
            (FakeTenants.other, FakeTenants.name(FakeTenants.own)),
        ] {
            await world.signsIn(tenant, issuer: issuer)
            await #expect(throws: AuthError(.tokenMisdirected, "")) { try await verify() }
        }
        await world.service.set { $0.claims["tid"] = .null }
        await #expect(throws: AuthError(.tokenMalformed, "")) { try await verify() }
    }

    @Test func `where one provider is meant, a claim tid may be anything`() async throws {
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.set {
            $0.renewsIDToken = true
            $0.claims["tid"] = "transaction-2"
        }
        #expect(try await auth.refreshIDToken().claims["tid"] == "transaction-2")
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a tenant that was taken off the list is asked for at the page, and nothing is sent for it`()
        async throws
    {
        _ = try await signedIn()
        world.clock.advance(600)
        let auth = world.container(of: [FakeTenants.other])
        let count = await world.service.requests.count
        await #expect(throws: AuthError(.interactionRequired, "")) { try await auth.accessToken() }
        #expect(await world.service.requests.count == count)
        #expect(await auth.state == .signedIn(.interactionRequired))
        await world.signsIn(FakeTenants.other, subject: "bert")
        try await auth.authorizeIfNeeded(redirectURI: World.redirectURI)
        #expect(await auth.idToken?.subject == "bert")
        #expect(try await auth.fetchAPI() == 200)
    }

    @Test func `a client's statement is for the token endpoint, since the template is no server`() async throws {
        let key = AssertionKey(keyID: "k", signingKey: try SigningKey.generate(.es256))
        await world.signsIn(FakeTenants.own)
        let service = Service.openID(
            issuer: FakeTenants.common, clientID: FakeService.clientID, tenants: .anyTenant)
        let auth = Keyturn(
            service.authenticating(with: key), storage: .custom(world.store),
            browser: FakeBrowser(service: world.service) { try CallbackTests.parameters($0) { $0["iss"] = nil } },
            transport: FakeTenants(service: world.service), ambient: world.clock.ambient)
        try await auth.authorize(redirectURI: World.redirectURI)
        let sent = try #require(await world.service.requests.first { $0.url.hasSuffix("/token") })
        let form = try FormParameters(parsing: String(decoding: sent.body ?? [], as: UTF8.self))
        let jws = try UnverifiedJWS(try #require(form.values("client_assertion").first))
        let claims = try jws.verify(
            with: VerificationKey(try JSONWebKey(key.publicKey), algorithm: .es256)
        ).claims()
        #expect(claims["aud"]?.stringValue == FakeService.issuer + "/token")
    }

    @Test func `such a provider shares no sign-in among apps`() {
        let service = Service.openID(issuer: FakeTenants.common, clientID: "app", tenants: .anyTenant)
        #expect(!service.sharingSignIn(in: SharedSignIn(storage: .memory)).receivesDeviceSecrets)
    }

    @Test(
        arguments: [
            .openID(issuer: FakeTenants.common, clientID: "app", tenants: .anyTenant),
            .openID(issuer: FakeTenants.common, clientID: "app", tenants: [FakeTenants.own, FakeTenants.other]),
            .openID(issuer: "https://id.example.com", clientID: "app", tenants: [], discoveryURL: "https://a.example"),
            .openID(issuer: "https://id.example.com", clientID: "app", discoveryURL: "https://a.example/d?p=x"),
        ] as [Service])
    func `what was said of a service is remembered with its sessions`(_ service: Service) throws {
        let found = try #require(
            Service.remembered(
                kind: service.kind, issuer: service.issuer, clientID: service.clientID, projectID: nil,
                details: service.details))
        #expect(found.tenants == service.tenants && found.discoveryURL == service.discoveryURL)
        #expect(found.details == service.details)
    }
}

@Suite("A discovery document apart from its issuer")
struct DiscoveryAddressTests {
    static let issuer = FakeService.issuer + "/\(FakeTenants.own)/v2.0/"
    static let discoveryURL =
        FakeService.issuer + "/contoso.onmicrosoft.com/b2c_1_signin/v2.0" + FakeTenants.wellKnown

    private let world: World

    init() throws {
        world = try World()
    }

    private var transport: FakeTenants {
        FakeTenants(service: world.service, discovery: Self.discoveryURL, keyIssuer: nil)
    }

    private func container(_ discoveryURL: String? = DiscoveryAddressTests.discoveryURL) async -> Keyturn {
        await world.service.set {
            $0.metadata["issuer"] = .string(Self.issuer)
            $0.claims["iss"] = .string(Self.issuer)
        }
        return Keyturn(
            .openID(issuer: Self.issuer, clientID: FakeService.clientID, discoveryURL: discoveryURL), name: "default",
            storage: .custom(world.store),
            browser: FakeBrowser(service: world.service) { try CallbackTests.parameters($0) { $0["iss"] = nil } },
            transport: transport, ambient: world.clock.ambient)
    }

    @Test func `Azure AD B2C: a user signs in, and the stored session finds the document again`() async throws {
        let auth = await container()
        let result = try await auth.authorize(redirectURI: World.redirectURI)
        #expect(result.idToken?.issuer == Self.issuer)
        world.clock.advance(600)
        let stored = try #require(
            try await Keyturn.stored(
                name: "default", storage: .custom(world.store), transport: transport, ambient: world.clock.ambient))
        #expect(stored.service.discoveryURL == Self.discoveryURL && stored.service.tenants == nil)
        #expect(try await stored.fetchAPI() == 200)
    }

    @Test func `without the address the document is not found, and the error says where it was looked for`() async {
        let auth = await container(nil)
        let error = await #expect(throws: AuthError(.protocolViolation, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(error?.detail.contains(FakeTenants.own + "/v2.0" + FakeTenants.wellKnown) == true)
    }

    @Test(arguments: ["https://evil.example.com/\(FakeTenants.own)/v2.0/", FakeTenants.template, FakeService.issuer])
    func `a document that names another issuer is refused, wherever it lies`(_ issuer: String) async {
        let auth = await container()
        await world.service.set { $0.metadata["issuer"] = .string(issuer) }
        await #expect(throws: AuthError(.protocolViolation, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
    }

    @Test func `a token of another issuer is refused`() async {
        let auth = await container()
        await world.service.set { $0.claims["iss"] = .string(FakeTenants.name(FakeTenants.other)) }
        await #expect(throws: AuthError(.tokenMisdirected, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
    }

    @Test(arguments: ["http://id.example.com/d", "https://id.example.com/d#x", "https://a@id.example.com/d", "d", ""])
    func `an address that requests must not go to is a mistake of the app's`(_ address: String) async {
        let auth = await container(address)
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(await world.service.requests.isEmpty)
    }
}
