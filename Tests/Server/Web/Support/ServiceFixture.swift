import Identity
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import ServerTesting
import Testing

/// A server with services that act for an enterprise, and a person who belongs to it.
struct ServiceFixture: Sendable {
    static let enterprise = "ent-1"
    static let issuerOfBox = "https://api.box.com/oauth2/token"
    static let api = "https://api.example.com"
    /// Of another resource server.
    static let downstream = "https://downstream.example"

    let server: TestServer
    /// The key of ``service`` and ``keyed``.
    let key: ForeignIssuer
    /// With a shared secret; may act in the enterprise and for everybody in it.
    let service: Client
    /// The same with `private_key_jwt` and nothing else.
    let keyed: Client
    /// A resource server: tokens for ``api`` are meant for it.
    let backend: Client
    /// A person's app, registered for exchange too.
    let app: Client

    private static let key = ForeignIssuer(keyID: "service-1")
    private static let grants = [GrantType.clientCredentials, .jwtBearer, .tokenExchange].map(\.rawValue)

    /// A client with `private_key_jwt` and the key of the fixture.
    static func keyed(_ id: String, strictAssertions: Bool = false) throws -> Client {
        let keys = try key.set.keys.map(\.json)
        let client = TestClients.make(id, method: "private_key_jwt", secret: nil) {
            $0.grantTypes = grants
            $0.jwks = ["keys": .array(keys)]
        }
        return Client(id: id, metadata: client.metadata, secretDigests: [], strictAssertions: strictAssertions)
    }

    static func start(
        project: (String) -> Project = { Project(id: "test", name: "Test", issuer: $0) }, more: [Client] = [],
        onStatement: (@Sendable (String) -> Void)? = nil
    ) async throws -> ServiceFixture {
        let set = JSONValue.object(["keys": .array(try key.set.keys.map(\.json))])
        let service = TestClients.make("service", method: "client_secret_post", secret: TestClients.webSecret) {
            $0.grantTypes = grants
            $0.jwks = set
            $0.scope = "openid profile email item_preview item_upload api.read"
        }.acting([.tenant(enterprise), .user("nobody")], audiences: [issuerOfBox])
        let keyed = try Self.keyed("keyed")
        let backend = TestClients.make("backend", method: "client_secret_post", secret: TestClients.webSecret) {
            $0.grantTypes = grants
        }.acting([], resources: [api])
        let other = TestClients.make("downstream", method: "client_secret_post", secret: TestClients.webSecret)
            .acting([], resources: [downstream])
        let app = TestClients.make("app", method: "client_secret_post", secret: TestClients.webSecret, firstParty: true)
        {
            $0.grantTypes = ["authorization_code", "refresh_token", GrantType.tokenExchange.rawValue]
            $0.scope = "openid profile email offline_access item_preview item_upload api.read"
        }
        let server = try await TestServer.start(
            clients: [service, keyed, backend, app, other] + more, project: project, onStatement: onStatement)
        let now = server.clock.now
        try await server.services.stores.tenants.create(
            Tenant(id: enterprise, name: "Example Enterprise", createdAt: now))
        try await server.services.directory.reload()
        _ = try await server.services.stores.users.change(TestServer.subject, at: now) {
            $0.memberships.tenants[enterprise] = []
        }
        return ServiceFixture(
            server: server, key: key, service: service, keyed: keyed, backend: backend, app: app)
    }

    /// A signed statement of a client; `nil` removes a claim.
    func assertion(
        of client: Client, _ changes: [String: JSONValue?] = [:], type: String? = "JWT",
        header: [String: JSONValue] = [:]
    ) -> String {
        var claims: [String: JSONValue] = [
            "iss": .string(client.id), "sub": .string(client.id), "aud": .string(server.issuer),
            "exp": .integer(server.clock.now.rawValue + 30), "jti": .string(Ambient.live.randomToken(byteCount: 16)),
        ]
        for (name, value) in changes { claims[name] = value }
        return key.token(.object(claims), type: type, header: header)
    }

    /// Asks for tokens with a client assertion.
    func asKeyed(_ assertion: String, _ more: KeyValuePairs<String, String?> = [:]) async throws -> EndpointAnswer {
        var form = FormParameters([
            "grant_type": "client_credentials", "client_assertion": assertion,
            "client_assertion_type": ClientAssertionType.jwtBearer,
        ])
        for (name, value) in more { form.append(name, value) }
        return try await server.post("/oauth2/token", form)
    }

    /// A form at the token endpoint.
    func token(_ form: KeyValuePairs<String, String?>, as client: Client?) async throws -> EndpointAnswer {
        try await server.post("/oauth2/token", FormParameters(form), as: client)
    }

    /// Exchanges a token; resources may repeat.
    func exchange(
        _ subject: String, as client: Client?, scope: String? = nil, resource: [String] = [],
        _ change: (inout TokenExchangeRequest) -> Void = { _ in }
    ) async throws -> EndpointAnswer {
        var request = TokenExchangeRequest(subjectToken: Secret(subject))
        request.scope = scope
        request.resource = resource
        change(&request)
        return try await server.post("/oauth2/token", TokenRequest.tokenExchange(request).parameters, as: client)
    }

    /// The claims of an access token, whoever signed it.
    static func claims(_ answer: EndpointAnswer) throws -> JSONValue {
        let token = try #require(answer.json["access_token"]?.stringValue, "\(answer.body)")
        return try JSONValue(parsing: try UnverifiedJWS(token).unverifiedPayload)
    }
}

extension Client {
    /// The same client with privileges that only an operator gives.
    func acting(
        _ rules: [ImpersonationRule], audiences: [String] = [], resources: [String] = []
    ) -> Client {
        Client(
            id: id, metadata: metadata, secretDigests: secretDigests, isFirstParty: isFirstParty,
            resources: resources, assertionAudiences: audiences, mayImpersonate: rules, profile: profile)
    }
}
