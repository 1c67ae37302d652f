import Identity
import Keyturn
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("End to end: an app that speaks Authgear's wire, and a server that does")
struct AuthgearEndToEndTests {
    private static let client: Client = {
        let client = TestClients.make("harbour", method: "none", secret: nil, firstParty: true, native: true) {
            $0.scope = ClientProfile.authgearScopes.joined(separator: " ")
        }
        return Client(
            id: client.id, metadata: client.metadata, secretDigests: [], isFirstParty: true, profile: .authgear)
    }()

    private let callback = "http://127.0.0.1:49152/callback"
    private let prompt = BiometricPrompt(reason: "to sign in")

    private func app(_ server: TestServer, _ device: SoftwareBiometrics, _ store: MemoryStore) -> Keyturn {
        let clock = server.clock
        let ambient = Ambient(
            clock: { clock.now }, uptime: { clock.now.rawValue }, entropy: { Ambient.live.randomBytes($0) })
        return Keyturn(
            .authgear(clientID: "harbour", endpoint: server.issuer + "/"), storage: .custom(store),
            browser: PersonAtBrowser(browser: server.browser()), biometricDevice: device,
            transport: DatedTransport(clock), ambient: ambient)
    }

    @Test func `a sign-in, a refresh, UserInfo, a confirmation, a touch, and the end`() async throws {
        let server = try await TestServer.start(clients: [Self.client])
        let (device, store) = (SoftwareBiometrics(), MemoryStore())
        let auth = app(server, device, store)
        let result = try await auth.authorize(redirectURI: callback, colorScheme: .dark)
        #expect(result.userInfo.subject == TestServer.subject.rawValue)
        #expect(result.userInfo.isAnonymous == false && result.userInfo.canReauthenticate == true)
        #expect(result.scope.contains(AuthgearNames.fullAccess))
        let (first, signedInAt) = (try await auth.accessToken(), await auth.authTime)
        server.clock.advance(3_600)
        let second = try await auth.accessToken()
        #expect(second != first)
        #expect(try await auth.userInfo().email == TestServer.username)
        // The ID token alone, which leaves the time of the sign-in; and then a confirmation, which moves it.
        #expect(try await auth.refreshIDToken().authTime == signedInAt)
        #expect(try await auth.accessToken() == second)
        try await auth.reauthenticate(redirectURI: callback)
        #expect(await auth.authTime == server.clock.now)
        #expect(try await auth.accessToken() == second, "the session is the same")
        try await auth.biometrics.enable(prompt)
        let key = try #require(try await server.services.stores.biometrics.keys(of: TestServer.subject).first)
        #expect(!key.device.isEmpty)
        try await auth.logout()
        #expect(try await server.get("/oauth2/userinfo", token: second).status == 401)
        let again = try await app(server, device, store).biometrics.authenticate(prompt)
        #expect(again.idToken?.amr == ["x_biometric"])
        #expect(again.userInfo.subject == TestServer.subject.rawValue)
        await server.stop()
    }
}
