import Identity
import Keyturn
import KeyturnBase
import KeyturnClientAuthenticator
import ServerTesting
import KeyturnVerify
import KeyturnWire
import Model
import Testing

@Suite("End to end: two users of one device")
struct TwoUsersEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"
    private static let prompt = BiometricPrompt(reason: "to open your account")
    private let andy = TestServer.subject.rawValue
    private let bea = TestServer.secondSubject.rawValue

    /// What the users share.
    private struct Device {
        let server: TestServer
        let store = MemoryStore()
        let sensor = SoftwareBiometrics()
        let browser: SharedBrowser

        init() async throws {
            server = try await TestServer.start()
            try await server.addSecondUser()
            browser = SharedBrowser(server)
        }

        func app(_ name: String? = nil, transport: (any HTTPTransport)? = nil) -> Keyturn {
            Keyturn(
                .keyturn(issuer: server.issuer, clientID: "tool"), name: name, storage: .custom(store),
                browser: browser, biometricDevice: sensor, transport: transport ?? DatedTransport(server.clock),
                ambient: server.clock.ambient)
        }

        /// One container in whose vault both have a session, under PINs of their own. It is locked.
        func shared(transport: (any HTTPTransport)? = nil) async throws -> Keyturn {
            let auth = app(transport: transport)
            try await auth.authorize(redirectURI: callback)
            try await auth.vault.store(newPassword: "1111")
            try await auth.vault.put([1], named: "note")
            try await auth.vault.lock()
            await browser.seatSecondUser()
            // Without the prompt, the browser's session would sign the first user in once more.
            try await auth.authorize(redirectURI: callback, prompt: .login)
            try await auth.vault.store(newPassword: "2222")
            try await auth.vault.put([2], named: "note")
            try await auth.vault.lock()
            return auth
        }
    }

    @Test func `each PIN opens the session and the data of its own user, and no other`() async throws {
        let device = try await Device()
        let auth = try await device.shared()
        #expect(try await auth.vault.users.sorted() == [andy, bea])
        for (user, pin, note) in [(andy, "1111", 1), (bea, "2222", 2), (andy, "1111", 1)] as [(String, String, UInt8)] {
            // Unlocking switches; the first user's session need not be locked before.
            try await auth.vault.unlock(user, password: pin)
            #expect(await auth.vault.unlockedUser == user)
            #expect(await auth.vault.currentUser == user)
            #expect(await auth.idToken?.subject == user)
            #expect(try await device.server.subject(of: auth.accessToken()) == user)
            device.server.clock.advance(601)
            #expect(try await auth.userInfo().subject == user)
            #expect(try await auth.vault.data(named: "note") == [note])
        }
        let wrong = await #expect(throws: AuthError(.vaultWrongPassword, "")) {
            try await auth.vault.unlock(bea, password: "1111")
        }
        #expect(wrong?.remainingAttempts == 2)
        #expect(await auth.vault.unlockedUser == andy, "a wrong PIN of the other changes nothing")
        #expect(try await device.server.subject(of: auth.accessToken()) == andy)
        await #expect(throws: AuthError(.vaultWrongPassword, "")) {
            try await auth.vault.refreshToken(bea, password: "1111")
        }
        await device.server.stop()
    }

    @Test func `signing one out, and removing one, leaves the other`() async throws {
        let device = try await Device()
        let (auth, server) = (try await device.shared(), device.server)
        try await auth.vault.unlock(andy, password: "1111")
        try await auth.vault.unlock(bea, password: "2222")
        let token = try await auth.accessToken()
        try await auth.logout()
        #expect(await auth.vault.unlockedUser == nil)
        #expect(try await server.subject(of: token) == nil)
        #expect(try await server.liveClients(of: TestServer.secondSubject).isEmpty)
        #expect(try await server.liveClients() == ["tool"])
        #expect(try await !auth.vault.hasStoredSession(bea))
        await #expect(throws: AuthError(.vaultIncomplete, "")) { try await auth.vault.unlock(bea, password: "2222") }
        // As the app is when it starts again.
        let next = device.app()
        #expect(try await next.start() == .signedOut)
        await #expect(throws: AuthError(.signedOut, "")) { try await next.accessToken() }
        try await next.vault.clear(bea, password: "2222")
        #expect(try await next.vault.users == [andy])
        try await next.vault.unlock(andy, password: "1111", renews: true)
        #expect(try await server.subject(of: next.accessToken()) == andy)
        #expect(try await next.vault.data(named: "note") == [1])
        await server.stop()
    }

    @Test func `a refresh that is answered after the switch is sealed for its user alone`() async throws {
        let device = try await Device()
        let (server, transport) = (device.server, HeldTransport(device.server.clock))
        let auth = try await device.shared(transport: transport)
        server.clock.advance(601)
        try await auth.vault.unlock(bea, password: "2222", renews: true)
        try await auth.vault.unlock(andy, password: "1111")
        await transport.arm()
        async let late = Result { try await auth.accessToken() }
        await transport.untilHeld()
        try await auth.vault.unlock(bea, password: "2222")
        let token = try await auth.accessToken()
        #expect(try await server.subject(of: token) == bea)
        // The caller asked in the other user's session.
        let outcome = await late
        #expect(throws: AuthError(.signedOut, "")) { try outcome.get() }
        await transport.release()
        #expect(try await auth.accessToken() == token)
        #expect(await auth.vault.unlockedUser == bea)
        try await auth.vault.unlock(andy, password: "1111", renews: true)
        #expect(try await server.subject(of: auth.accessToken()) == andy)
        await server.stop()
    }

    @Test func `the touch belongs to the user who enabled it`() async throws {
        let device = try await Device()
        let auth = try await device.shared()
        try await auth.vault.enableBiometrics(andy, password: "1111")
        #expect(try await auth.vault.hasBiometrics(andy))
        #expect(try await !auth.vault.hasBiometrics(bea))
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await auth.vault.unlockWithBiometrics(bea, prompt: Self.prompt)
        }
        #expect(await device.sensor.prompts.isEmpty, "nobody was asked for a touch that opens nothing")
        try await auth.vault.unlockWithBiometrics(andy, prompt: Self.prompt)
        #expect(try await device.server.subject(of: auth.accessToken()) == andy)
        try await auth.vault.unlock(bea, password: "2222")
        try await auth.vault.enableBiometrics(bea, password: "2222")
        try await auth.vault.clear(bea)
        #expect(await device.sensor.secretNames.count == 1, "the other user's is left")
        try await auth.vault.unlockWithBiometrics(andy, prompt: Self.prompt)
        #expect(await auth.vault.unlockedUser == andy)
        await device.server.stop()
    }

    @Test func `two containers have one session each, and nothing of one is found in the other`() async throws {
        let device = try await Device()
        let server = device.server
        let (first, second) = (device.app("andy"), device.app("bea"))
        try await first.authorize(redirectURI: Self.callback)
        await device.browser.seatSecondUser()
        let changes = first.changes
        try await second.authorize(redirectURI: Self.callback, prompt: .login)
        try await first.biometrics.enable(Self.prompt)
        #expect(try await !second.biometrics.isEnabled())
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await second.biometrics.authenticate(Self.prompt)
        }
        try await first.vault.store(newPassword: "1111")
        try await second.vault.store(newPassword: "2222")
        #expect(try await first.vault.users == [andy])
        #expect(try await second.vault.users == [bea])
        await #expect(throws: AuthError(.vaultIncomplete, "")) { try await first.vault.unlock(bea, password: "2222") }
        server.clock.advance(601)
        #expect(try await server.subject(of: first.accessToken()) == andy)
        #expect(try await server.subject(of: second.accessToken()) == bea)
        let token = try await first.accessToken()
        try await second.logout()
        #expect(await first.state.isSignedIn)
        #expect(try await first.accessToken() == token)
        #expect(try await server.subject(of: token) == andy)
        #expect(try await device.app("bea").start() == .signedOut)
        #expect(try await first.biometrics.isEnabled())
        try await first.vault.lock()
        try await device.app("andy").biometrics.authenticate(Self.prompt)
        let reasons = await changes.prefix(2).reduce(into: []) { $0.append($1.reason) }
        #expect(!reasons.contains(.signedIn) && !reasons.contains(.signedOut), "\(reasons)")
        await server.stop()
    }
}
