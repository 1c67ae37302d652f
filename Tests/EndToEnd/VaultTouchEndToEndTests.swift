import Identity
import Keyturn
import KeyturnBase
import KeyturnClientAuthenticator
import ServerTesting
import KeyturnVerify
import Model
import Synchronization
import Testing

@Suite("End to end: a session under a PIN and a touch, with our SDK, our server and its key service")
struct VaultTouchEndToEndTests {
    private static let callback = "http://127.0.0.1:49152/callback"
    private static let prompt = BiometricPrompt(reason: "to open your account")
    private let user = TestServer.subject.rawValue
    private let server: TestServer
    private let store = MemoryStore()
    private let sensor = SoftwareBiometrics()

    init() async throws {
        server = try await TestServer.start()
    }

    /// The app, started once more.
    private func app() -> Keyturn {
        Keyturn(
            .keyturn(issuer: server.issuer, clientID: "tool"), storage: .custom(store),
            browser: PersonAtBrowser(browser: server.browser()), biometricDevice: sensor,
            transport: DatedTransport(server.clock), ambient: server.clock.ambient)
    }

    /// A session under the PIN 1234, which a touch opens, too. It is locked.
    private func enrolled(_ policy: BiometricPolicy = .currentBiometry) async throws -> Keyturn {
        let auth = app()
        try await auth.authorize(redirectURI: Self.callback)
        try await auth.vault.store(newPassword: "1234")
        try await auth.vault.enableBiometrics(user, password: "1234", policy: policy)
        try await auth.vault.put([7], named: "note")
        try await auth.vault.lock()
        return auth
    }

    @Test func `a touch opens what the PIN closed, after a start of the app, and the session goes on`() async throws {
        _ = try await enrolled()
        let auth = app()
        #expect(try await auth.start() == .signedOut)
        #expect(try await auth.vault.hasBiometrics(user))
        let began = Atomic(0)
        try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt) {
            began.add(1, ordering: .relaxed)
        }
        #expect(began.load(ordering: .relaxed) == 1)
        #expect(await sensor.prompts == [Self.prompt])
        let first = try await auth.accessToken()
        #expect(try await server.subject(of: first) == user)
        #expect(try await auth.vault.data(named: "note") == [7])
        server.clock.advance(601)
        #expect(try await auth.accessToken() != first)
        try await auth.vault.lock()
        // The renewed session is what lies under the PIN now.
        try await auth.vault.unlock(user, password: "1234", renews: true)
        #expect(try await server.subject(of: auth.accessToken()) == user)
        await server.stop()
    }

    @Test func `who declines, or is another, opens nothing, and no try is counted`() async throws {
        let auth = try await enrolled()
        for (person, code) in [
            (SoftwareBiometrics.Person.declines, AuthError.Code.cancelled), (.isSomebodyElse, .biometricFailed),
            (.isLockedOut, .biometricLockout),
        ] {
            await sensor.set(person)
            let error = await #expect(throws: AuthError.self) {
                try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt)
            }
            #expect(error?.code == code)
            #expect(await auth.vault.unlockedUser == nil)
        }
        let wrong = await #expect(throws: AuthError.self) { try await auth.vault.unlock(user, password: "0000") }
        #expect(wrong?.remainingAttempts == 2, "the first that the server heard of")
        await server.stop()
    }

    @Test func `the server counts wrong PINs, of every start of the app, and a locked key takes no touch either`()
        async throws
    {
        let auth = try await enrolled()
        for left in [2, 1] {
            let wrong = await #expect(throws: AuthError.self) { try await app().vault.unlock(user, password: "0000") }
            #expect(wrong?.isWrongPassword == true && wrong?.remainingAttempts == left)
        }
        // The third locks the key, wherever the app asks for the PIN, for whatever would open it.
        await #expect(throws: AuthError(.vaultKeyLocked, "")) {
            try await auth.vault.enableBiometrics(user, password: "0000")
        }
        for _ in 0..<2 {
            await #expect(throws: AuthError(.vaultKeyLocked, "")) {
                try await auth.vault.unlock(user, password: "1234")
            }
            let touched = await #expect(throws: AuthError.self) {
                try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt)
            }
            #expect(touched?.isKeyLocked == true)
        }
        // The way back: a sign-in, and another PIN. The touch belonged to the earlier key.
        try await auth.authorize(redirectURI: Self.callback)
        try await auth.vault.store(newPassword: "5678")
        #expect(try await !auth.vault.hasBiometrics(user))
        #expect(await sensor.secretNames.isEmpty)
        try await auth.vault.enableBiometrics(user, password: "5678")
        try await auth.vault.lock()
        try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt, renews: true)
        #expect(try await server.subject(of: auth.accessToken()) == user)
        await server.stop()
    }

    @Test(arguments: [false, true])
    func `a session that was revoked meanwhile is found at the unlock that asks`(_ byTouch: Bool) async throws {
        let auth = try await enrolled()
        _ = try await server.services.stores.grants.endAll(
            of: TestServer.subject, reason: .administrator, at: server.clock.now)
        let error = await #expect(throws: AuthError.self) {
            if byTouch {
                try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt, renews: true)
            } else {
                try await auth.vault.unlock(user, password: "1234", renews: true)
            }
        }
        #expect(error?.isRefreshTokenExpired == true)
        #expect(await auth.vault.unlockedUser == nil)
        #expect(await !auth.state.isSignedIn)
        // The PIN and the touch are good for the next session.
        try await auth.authorize(redirectURI: Self.callback)
        try await auth.vault.store(existingPassword: "1234")
        try await auth.vault.lock()
        try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt, renews: true)
        #expect(try await auth.vault.data(named: "note") == [7])
        await server.stop()
    }

    @Test func `another finger ends the touch, and the PIN opens as ever`() async throws {
        let auth = try await enrolled()
        await sensor.enrolAnother()
        #expect(try await !auth.vault.hasBiometrics(user))
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt)
        }
        try await auth.vault.unlock(user, password: "1234")
        try await auth.vault.enableBiometrics(user, password: "1234", policy: .anyBiometry)
        await sensor.enrolAnother()
        try await auth.vault.changePassword(user, from: "1234", to: "5678")
        try await auth.vault.lock()
        try await auth.vault.unlockWithBiometrics(user, prompt: Self.prompt)
        #expect(await auth.vault.unlockedUser == user, "another PIN leaves the touch as it is")
        try await auth.vault.disableBiometrics(user)
        #expect(await sensor.secretNames.isEmpty)
        await server.stop()
    }
}
