import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("A client that signs a statement about itself, RFC 7523 §2.2")
struct PrivateKeyTests {
    private let world: World
    private let key: AssertionKey

    init() throws {
        world = try World()
        key = AssertionKey(keyID: "k", signingKey: try SigningKey.generate(.es256))
    }

    private func container(_ methods: JSONValue) async -> Keyturn {
        await world.service.set { $0.metadata["token_endpoint_auth_methods_supported"] = methods }
        return Keyturn(
            .openID(issuer: FakeService.issuer, clientID: FakeService.clientID).authenticating(with: key),
            storage: .custom(world.store), browser: FakeBrowser(service: world.service), transport: world.service,
            ambient: world.clock.ambient)
    }

    @Test func `a service that does not take it is told nothing`() async throws {
        let auth = await container(["client_secret_basic", "none"])
        await #expect(throws: AuthError(.unsupported, "")) {
            try await auth.authorize(SignInOptions(redirectURI: World.redirectURI))
        }
        #expect(await world.service.count("/token") == 0)
    }

    @Test func `each request has a statement of its own, for this service alone`() async throws {
        let auth = await container(["private_key_jwt"])
        try await auth.authorize(SignInOptions(redirectURI: World.redirectURI))
        world.clock.advance(4_000)
        _ = try await auth.accessToken()
        let sent = await world.service.requests.filter { $0.url.hasSuffix("/token") }
        let forms = try sent.map { try FormParameters(parsing: String(decoding: $0.body ?? [], as: UTF8.self)) }
        #expect(forms.count == 2)
        var names: Set<String> = []
        for form in forms {
            #expect(form.values("client_assertion_type") == [ClientAssertionType.jwtBearer])
            #expect(form.values("client_id") == [FakeService.clientID] && form.values("client_secret").isEmpty)
            let jws = try UnverifiedJWS(try #require(form.values("client_assertion").first))
            let claims = try jws.verify(
                with: VerificationKey(try JSONWebKey(key.publicKey), algorithm: .es256)
            ).claims()
            #expect(jws.header.keyID == "k" && claims["aud"]?.stringValue == FakeService.issuer)
            #expect(claims["iss"]?.stringValue == FakeService.clientID && claims["iss"] == claims["sub"])
            let lifetime = try #require(claims["exp"]?.integerValue) - (try #require(claims["iat"]?.integerValue))
            #expect(lifetime == Limits.assertionSeconds)
            names.insert(try #require(claims["jti"]?.stringValue))
        }
        #expect(names.count == 2)
    }

    @Test func `nothing prints the key or a secret`() throws {
        let service = Service.openID(issuer: "https://a.example", clientID: "a").authenticating(with: key)
        #expect("\(service.clientAuthentication)" == "ClientAuthentication(k)")
        let secret = Service.openID(issuer: "https://a.example", clientID: "a", clientSecret: "sesame")
        #expect(!String(reflecting: secret.clientAuthentication).contains("sesame"))
        #expect(Service.openID(issuer: "https://a.example", clientID: "a").clientAuthentication.isPublic)
    }
}
