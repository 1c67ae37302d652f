import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Reauthentication with a touch")
struct BiometricReauthenticationTests {
    private static func reauthenticate(
        _ auth: Keyturn, maxAge: Int64 = 0, prompt: BiometricPrompt? = World.prompt
    ) async throws -> SignInResult {
        try await auth.reauthenticate(
            redirectURI: World.redirectURI, maxAge: maxAge, state: "s", biometrics: prompt)
    }

    @Test func `a touch is preferred to the page, and moves auth_time`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let signIn = await auth.keeper.machine.record?.generation.signIn
        var changes = auth.changes.makeAsyncIterator()
        world.clock.advance(100)
        let result = try await Self.reauthenticate(auth)
        #expect(result.state == "s" && result.idToken?.authTime == world.clock.now)
        #expect(await auth.authTime == world.clock.now)
        #expect(await auth.keeper.machine.record?.generation.signIn == signIn)
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .reauthenticated))
        #expect(await world.service.biometrics.requests.count == 2)
        // The session goes on with the tokens of the touch, here and in the next process.
        #expect(try await auth.userInfo().subject == "andy")
        _ = try await world.touchable(device).forceRefresh()
    }

    @Test func `without a prompt, and without a key, the page is shown`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        world.clock.advance(10)
        _ = try await Self.reauthenticate(auth, prompt: nil)
        #expect(await auth.authTime == world.clock.now)
        #expect(await world.service.biometrics.requests.count == 1)
        try await auth.biometrics.disable()
        world.clock.advance(10)
        _ = try await Self.reauthenticate(auth)
        #expect(await auth.authTime == world.clock.now)
        #expect(await world.service.biometrics.requests.count == 1)
        #expect(await device.prompts.count == 1)
    }

    @Test func `a recent sign-in is enough, to the second, and nobody is asked`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let requests = await world.service.requests.count
        world.clock.advance(300)
        let result = try await Self.reauthenticate(auth, maxAge: 300)
        #expect(result.state == "s")
        #expect(await world.service.requests.count == requests)
        world.clock.advance(1)
        _ = try await Self.reauthenticate(auth, maxAge: 300)
        #expect(await device.prompts.count == 2)
    }

    @Test func `scenario 10: who has nothing to prove it with is not sent anywhere, unless they can touch`()
        async throws
    {
        let world = try World()
        await world.service.set { $0.claims[ReauthenticateTests.claim] = false }
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        let requests = await world.service.requests.count
        await #expect(throws: AuthError(.cannotReauthenticate, "")) { try await Self.reauthenticate(auth) }
        #expect(await world.service.requests.count == requests)
        try await auth.biometrics.enable(World.prompt)
        await #expect(throws: AuthError(.cannotReauthenticate, "")) {
            try await Self.reauthenticate(auth, prompt: nil)
        }
        world.clock.advance(50)
        _ = try await Self.reauthenticate(auth)
        #expect(await auth.authTime == world.clock.now)
    }

    @Test func `another person's key changes nothing, and their session is given back`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let before = await auth.keeper.machine.record
        await world.service.set { service in
            service.biometrics.keys = service.biometrics.keys.mapValues { ($0.key, "mallory") }
        }
        await #expect(throws: AuthError(.differentPerson, "")) { try await Self.reauthenticate(auth) }
        #expect(await auth.keeper.machine.record == before)
        #expect(await auth.idToken?.subject == "andy")
    }

    @Test(arguments: [("old", "new", true), ("same", "same", false)])
    func `the session that was is ended at the service, if it is another one`(
        _ was: String, _ becomes: String, _ isEnded: Bool
    ) async throws {
        let world = try World()
        await world.service.set { $0.claims["sid"] = .string(was) }
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let old = await world.service.refreshToken
        await world.service.set { $0.claims["sid"] = .string(becomes) }
        _ = try await Self.reauthenticate(auth)
        #expect(await world.service.revoked == (isEnded ? [old ?? ""] : []))
    }

    @Test func `a key that is gone is said, and the next time the page is shown`() async throws {
        let world = try World()
        await world.service.set { $0.datesAnswers = true }
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        await world.service.set { $0.biometrics.keys = [:] }
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) { try await Self.reauthenticate(auth) }
        #expect(await auth.state == .signedIn(.fresh))
        world.clock.advance(10)
        _ = try await Self.reauthenticate(auth)
        #expect(await auth.authTime == world.clock.now)
    }

    @Test func `an old authentication does not pass for a touch`() async throws {
        let world = try World()
        let auth = try await world.enabled(SoftwareBiometrics())
        let old = world.clock.now.rawValue
        world.clock.advance(1_000)
        await world.service.set { $0.claims["auth_time"] = .integer(old) }
        await #expect(throws: AuthError(.tokenInsufficient, "")) { try await Self.reauthenticate(auth) }
        #expect(await auth.authTime?.rawValue == old)
    }

    @Test func `whoever signs in while the person touches keeps their session`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let gate = Gate()
        await world.service.fail("/token", .answerHeld(gate))
        let late = Task { try await Self.reauthenticate(auth) }
        await gate.someoneArrives()
        await world.service.set { $0.subject = "mallory" }
        try await world.touchable(device).authorize(redirectURI: World.redirectURI)
        await gate.open()
        await #expect(throws: AuthError(.differentPerson, "")) { try await late.value }
        world.clock.advance(1)
        _ = try await auth.accessToken()
        #expect(await auth.idToken?.subject == "mallory")
    }
}
