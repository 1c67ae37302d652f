import Identity
import Keyturn
import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWire
import Model
import ServerTesting
import Testing

@Suite("End to end: a touch, an app, and the server between them")
struct BiometricEndToEndTests {
    private func app(
        _ server: TestServer, _ device: SoftwareBiometrics, _ store: MemoryStore,
        binding: Service.Binding = .refreshToken, wrongBy: Int64 = 0
    ) -> Keyturn {
        let clock = server.clock
        let ambient = Ambient(
            clock: { clock.now + wrongBy }, uptime: { clock.now.rawValue }, entropy: { Ambient.live.randomBytes($0) })
        return Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool", binding: binding), storage: .custom(store),
            browser: PersonAtBrowser(browser: server.browser(), conduct: .signsIn), biometricDevice: device,
            transport: DatedTransport(clock), ambient: ambient)
    }

    private let callback = "http://127.0.0.1:49152/callback"
    private let prompt = BiometricPrompt(reason: "to sign in")

    @Test(arguments: [Service.Binding.none, .refreshToken, .allTokens])
    func `a person signs in once, and from then on touches`(_ binding: Service.Binding) async throws {
        let server = try await TestServer.start()
        let (device, store) = (SoftwareBiometrics(), MemoryStore())
        let auth = app(server, device, store, binding: binding)
        try await auth.authorize(redirectURI: callback)
        try await auth.biometrics.enable(prompt)
        try await auth.logout()
        server.clock.advance(3_600)
        let result = try await app(server, device, store, binding: binding).biometrics.authenticate(prompt)
        #expect(result.userInfo.subject == TestServer.subject.rawValue)
        #expect(result.idToken?.amr.contains("x_biometric") == true && result.idToken?.authTime == server.clock.now)
        // The session renews itself, like any other.
        server.clock.advance(3_600)
        #expect(try await auth.userInfo().subject == TestServer.subject.rawValue)
        await server.stop()
    }

    @Test(arguments: [-86_400, 86_400] as [Int64])
    func `a device whose clock is wrong signs in with a touch all the same`(_ wrongBy: Int64) async throws {
        let server = try await TestServer.start()
        let (device, store) = (SoftwareBiometrics(.rs256), MemoryStore())
        let auth = app(server, device, store, wrongBy: wrongBy)
        try await auth.authorize(redirectURI: callback)
        try await auth.biometrics.enable(prompt)
        try await app(server, device, store, wrongBy: wrongBy).biometrics.authenticate(prompt)
        #expect(try await auth.biometrics.isEnabled())
        await server.stop()
    }

    @Test func `whoever removes the device in the settings ends the key, and the app forgets it`() async throws {
        let server = try await TestServer.start()
        let (device, store) = (SoftwareBiometrics(), MemoryStore())
        let auth = app(server, device, store)
        try await auth.authorize(redirectURI: callback)
        try await auth.biometrics.enable(prompt)
        let key = try #require(try await server.services.stores.biometrics.keys(of: TestServer.subject).first)
        #expect(!key.device.isEmpty)
        #expect(
            try await server.services.stores.biometrics.remove(key.id, of: TestServer.subject, at: server.clock.now))
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) { try await auth.biometrics.authenticate(prompt) }
        #expect(try await !auth.biometrics.isEnabled())
        #expect(await device.keyNames.isEmpty)
        #expect(await auth.state.isSignedIn)
        await server.stop()
    }

    @Test func `a touch proves again who somebody is, without a page`() async throws {
        let server = try await TestServer.start()
        let (device, store) = (SoftwareBiometrics(), MemoryStore())
        let auth = app(server, device, store)
        try await auth.authorize(redirectURI: callback)
        let token = try await auth.accessToken()
        try await auth.biometrics.enable(prompt)
        server.clock.advance(200)
        let result = try await auth.reauthenticate(redirectURI: callback, biometrics: prompt)
        #expect(result.idToken?.amr.contains("x_biometric") == true)
        #expect(await auth.authTime == server.clock.now)
        #expect(try await auth.userInfo().subject == TestServer.subject.rawValue)
        // What the session was until then is over, and the key is not.
        #expect(try await server.get("/oauth2/userinfo", token: token).status == 401)
        #expect(try await auth.biometrics.isEnabled())
        server.clock.advance(3_600)
        _ = try await auth.forceRefresh()
        try await auth.biometrics.authenticate(prompt)
        await server.stop()
    }
}
