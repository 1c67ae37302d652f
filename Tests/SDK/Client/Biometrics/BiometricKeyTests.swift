import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import Testing

@testable import Keyturn

/// When a key goes, and when it stays; the rows are those of Authgear's own matrix.
@Suite("What becomes of a key behind a touch")
struct BiometricKeyTests {
    let world: World
    let device = SoftwareBiometrics()
    let auth: Keyturn

    init() async throws {
        world = try World()
        await world.service.set { $0.datesAnswers = true }
        auth = try await world.enabled(device)
    }

    private func touch() async throws {
        try await auth.biometrics.authenticate(World.prompt)
    }

    private func expectGone() async throws {
        #expect(try await !auth.biometrics.isEnabled())
        #expect(await device.keyNames.isEmpty)
        #expect(await world.store.read("default/biometric-key").isAbsent)
    }

    private func expectKept() async throws {
        #expect(try await auth.biometrics.isEnabled())
        #expect(await device.keyNames.count == 1)
    }

    @Test func `scenario 7: whoever signs in on the page removes the key`() async throws {
        try await auth.authorize(redirectURI: World.redirectURI)
        try await expectGone()
    }

    @Test func `so does whoever signs in with a method of the project, or brings tokens from elsewhere`() async throws {
        let grant = TokenGrant(
            accessToken: "access", expiresInSeconds: 600, refreshToken: "refresh", idToken: nil, scope: nil)
        try await auth.keeper.establish(
            grant, claims: [:], projectID: "project", since: await auth.keeper.timesGivenUp)
        try await expectGone()
        let second = try await world.enabled(device, "second")
        try await second.keeper.takeUp(try await world.tokens())
        #expect(try await !second.biometrics.isEnabled())
        #expect(await device.keyNames.isEmpty)
    }

    @Test func `forgetting the session on this machine alone keeps it`() async throws {
        try await auth.keeper.forget()
        try await expectKept()
        try await touch()
    }

    @Test func `so does whoever signs in with a code that they type elsewhere`() async throws {
        await world.service.set {
            $0.deviceAnswer["interval"] = 1
            $0.metadata["device_authorization_endpoint"] = .string(FakeService.issuer + "/device_authorization")
        }
        try await world.touchable(device).deviceSignIn { _ in }
        try await expectGone()
    }

    @Test func `scenario 8: a key that the service does not know goes, and the session stays`() async throws {
        await world.service.set { $0.biometrics.keys = [:] }
        let before = await auth.keeper.machine.record
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) { try await touch() }
        try await expectGone()
        #expect(await auth.keeper.machine.record == before)
        #expect(await auth.state == .signedIn(.fresh))
        // One touch was enough to know it.
        #expect(await device.prompts.count == 2)
    }

    @Test(arguments: ["invalid biometric", "invalidcredentials", "InvalidCredentials ", "", "user disabled"])
    func `scenario 9: any other text keeps it`(_ text: String) async throws {
        await world.service.set {
            $0.biometrics.refuses = true
            $0.biometrics.refusal = text
        }
        await #expect(throws: AuthError(.refused, "")) { try await touch() }
        try await expectKept()
        await world.service.set { $0.biometrics.refuses = false }
        try await touch()
    }

    @Test func `the same text under another error keeps it`() async throws {
        for (error, status) in [("invalid_request", 400), ("unauthorized_client", 400), ("invalid_grant", 503)] {
            let answer = FakeService.json(
                ["error": .string(error), "error_description": "InvalidCredentials"], status: status)
            await world.service.fail("/token", .answer(answer))
            await #expect(throws: AuthError.self) { try await touch() }
            try await expectKept()
        }
    }

    @Test func `an enrolment that has changed removes it`() async throws {
        await device.enrolAnother()
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) { try await touch() }
        #expect(await world.store.read("default/biometric-key").isAbsent)
        #expect(try await !auth.biometrics.isEnabled())
    }

    @Test func `an enrolment that changes while the person is asked removes it too`() async throws {
        let device = device
        await device.whenAsked { await device.enrolAnother() }
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) { try await touch() }
        #expect(await world.store.read("default/biometric-key").isAbsent)
    }

    @Test func `disabling removes it, twice without harm`() async throws {
        try await auth.biometrics.disable()
        try await expectGone()
        try await auth.biometrics.disable()
    }

    @Test(arguments: [
        (SoftwareBiometrics.Person.declines, AuthError.Code.cancelled), (.isSomebodyElse, .biometricFailed),
        (.isLockedOut, .biometricLockout),
    ])
    func `the person's refusal, another person's finger and a lock-out keep it`(
        _ person: SoftwareBiometrics.Person, _ code: AuthError.Code
    ) async throws {
        await device.set(person)
        await #expect(throws: AuthError(code, "")) { try await touch() }
        try await expectKept()
        await device.set(.touches)
        try await touch()
    }

    @Test func `signing out, forced or not, and a session's end keep it`() async throws {
        try await auth.logout()
        try await expectKept()
        try await touch()
        try await auth.logout(force: true)
        try await expectKept()
        try await touch()
        await world.service.forgetSession()
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.forceRefresh() }
        try await expectKept()
        try await touch()
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a reauthentication on the page keeps it`() async throws {
        try await auth.reauthenticate(redirectURI: World.redirectURI)
        try await expectKept()
    }

    @Test func `a sign-in that does not come to pass keeps it`() async throws {
        await world.service.fail("/token", .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        try await expectKept()
    }

    @Test func `what could not be removed at a sign-in is never used again`() async throws {
        await device.setReachable(false)
        await world.service.set { $0.subject = "mallory" }
        try await auth.authorize(redirectURI: World.redirectURI)
        #expect(await auth.idToken?.subject == "mallory")
        #expect(await device.keyNames.count == 1)
        // Neither in another process, signed in or not, nor here.
        let other = world.touchable(device)
        #expect(try await !other.biometrics.isEnabled())
        try await other.logout(force: true)
        #expect(try await !other.biometrics.isEnabled())
        await device.setReachable(true)
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await other.biometrics.authenticate(World.prompt)
        }
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) { try await touch() }
        try await expectGone()
    }

    @Test func `a key of somebody else than is signed in is removed, whoever left it`() async throws {
        let record = try await auth.biometricMemory.read()
        await world.service.set { $0.subject = "mallory" }
        try await auth.authorize(redirectURI: World.redirectURI)
        _ = try await device.makeKey(BiometricMemory.name(try #require(record.key?.id)), World.prompt)
        _ = try await world.store.write(record.stored, for: "default/biometric-key", when: .always)
        #expect(try await !world.touchable(device).biometrics.isEnabled())
        try await expectGone()
    }

    @Test func `a store or a device that cannot be looked at loses nothing`() async throws {
        await device.setReachable(false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.biometrics.isEnabled() }
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await touch() }
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.biometrics.disable() }
        await device.setReachable(true)
        await world.store.set(readable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.biometrics.isEnabled() }
        await world.store.set()
        try await expectKept()
        try await touch()
    }

    @Test func `a key of another client of the same name is not used`() async throws {
        let other = world.touchable(device, clientID: "other")
        #expect(try await !other.biometrics.isEnabled())
        try await expectKept()
    }
}
