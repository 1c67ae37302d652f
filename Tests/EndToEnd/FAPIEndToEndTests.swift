import Identity
import Keyturn
import KeyturnBase
import KeyturnJose
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import Testing

@Suite("End to end: our SDK as a client of the FAPI 2.0 Security Profile, at our server")
struct FAPIEndToEndTests {
    private let callback = TestClients.callback
    private let key: AssertionKey
    private let client: Client

    init() throws {
        let key = AssertionKey(keyID: "desk-1", signingKey: try SigningKey.generate(.es256))
        self.key = key
        client = Self.client("desk", key, profile: .fapi2)
    }

    private static func client(_ id: String, _ key: AssertionKey, profile: ClientProfile) -> Client {
        let made = TestClients.make(id, method: "private_key_jwt", secret: nil, firstParty: true) {
            $0.jwks = ["keys": .array([key.publicKey])]
        }
        return Client(id: id, metadata: made.metadata, secretDigests: [], isFirstParty: true, profile: profile)
    }

    private func app(
        _ server: TestServer, clientID: String = "desk", key: AssertionKey? = nil, clock: VirtualClock? = nil,
        binding: Service.Binding = .allTokens
    ) -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: clientID, binding: binding)
                .authenticating(with: key ?? self.key),
            storage: .memory, browser: PersonAtBrowser(browser: server.browser()),
            transport: DatedTransport(server.clock), ambient: (clock ?? server.clock).ambient)
    }

    @Test func `it signs in, renews, asks and signs out as the profile wants it`() async throws {
        let server = try await TestServer.start(clients: [client])
        server.clock.advance(11)
        let auth = app(server)
        let result = try await auth.authorize(SignInOptions(redirectURI: callback))
        #expect(result.userInfo.email == TestServer.username)
        let first = try await auth.accessToken()
        let bearer = try await server.send(
            "GET", "/oauth2/userinfo", headers: [("Authorization", "Bearer \(first)")], body: nil)
        #expect(bearer.status == 401, "the access token is worth nothing without its key")
        server.clock.advance(700)
        let second = try await auth.accessToken()
        #expect(second != first)
        #expect(try await auth.userInfo().subject == TestServer.subject.rawValue)
        try await auth.logout()
        let over = try await server.services.stores.grants.grants(
            of: TestServer.subject, limit: 10, at: server.clock.now)
        #expect(over.isEmpty, "the sign-out has ended the grant")
        await server.stop()
    }

    @Test func `access tokens are bound if the server wants it, although the app did not ask`() async throws {
        let server = try await TestServer.start(clients: [client])
        server.clock.advance(11)
        let auth = app(server, binding: .refreshToken)
        _ = try await auth.authorize(SignInOptions(redirectURI: callback))
        let token = try await auth.accessToken()
        #expect(TestServer.claims(Secret(token))["cnf"]?["jkt"]?.stringValue != nil)
        #expect(try await auth.userInfo().subject == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `a clock that is a day ahead is corrected by the server's answer`() async throws {
        let server = try await TestServer.start(clients: [client])
        server.clock.advance(11)
        let ahead = VirtualClock(server.clock.now + 86_400)
        let auth = app(server, clock: ahead)
        let result = try await auth.authorize(SignInOptions(redirectURI: callback))
        #expect(result.idToken?.subject == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test func `37: another key is refused before a browser opens`() async throws {
        let server = try await TestServer.start(clients: [client])
        server.clock.advance(11)
        let stranger = app(server, key: AssertionKey(keyID: "desk-1", signingKey: try .generate(.es256)))
        let error = await #expect(throws: AuthError.self) {
            try await stranger.startAuthorization(SignInOptions(redirectURI: callback))
        }
        #expect(error?.code == .refused && error?.server?.code == "invalid_client")
        await server.stop()
    }

    @Test func `a client of the usual profile with a key gets what it asks for`() async throws {
        let usual = Self.client("usual", key, profile: .standard)
        let server = try await TestServer.start(clients: [usual])
        server.clock.advance(11)
        let auth = app(server, clientID: "usual", binding: .none)
        _ = try await auth.authorize(SignInOptions(redirectURI: callback))
        let token = try await auth.accessToken()
        #expect(TestServer.claims(Secret(token))["cnf"] == nil)
        server.clock.advance(700)
        #expect(try await auth.accessToken() != token)
        await server.stop()
    }
}
