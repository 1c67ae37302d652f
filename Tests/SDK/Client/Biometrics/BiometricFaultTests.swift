import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import KeyturnWire
import Testing

@testable import Keyturn

/// One thing goes wrong at each step: nothing is left over, and nothing that was good is lost.
@Suite("A key behind a touch when something goes wrong")
struct BiometricFaultTests {
    static let steps = ["/oauth2/challenge", "/token"]

    @Test(arguments: steps, [FakeService.Fault.unreachable, .answerLost, .answer(HTTPResponse(status: 502))])
    func `a set-up whose answer is lost leaves no key, and the next one works`(
        _ step: String, _ fault: FakeService.Fault
    ) async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.service.fail(step, fault)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await device.keyNames.isEmpty)
        #expect(await world.store.read("default/biometric-key").isAbsent)
        try await auth.biometrics.enable(World.prompt)
        try await auth.biometrics.authenticate(World.prompt)
    }

    @Test(arguments: steps)
    func `a failed renewal of the key leaves the old one at work`(_ step: String) async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let old = await device.keyNames
        await world.service.fail(step, .answerLost)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await device.keyNames == old)
        try await auth.biometrics.authenticate(World.prompt)
    }

    @Test(arguments: [
        (SoftwareBiometrics.Person.declines, AuthError.Code.cancelled), (.isSomebodyElse, .biometricFailed),
        (.isLockedOut, .biometricLockout),
    ])
    func `whoever does not touch at set-up gets no key`(
        _ person: SoftwareBiometrics.Person, _ code: AuthError.Code
    ) async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        await device.set(person)
        await #expect(throws: AuthError(code, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await device.keyNames.isEmpty)
        #expect(await world.service.biometrics.keys.isEmpty)
        #expect(try await !auth.biometrics.isEnabled())
    }

    @Test(arguments: steps, [FakeService.Fault.unreachable, .answerLost, .answer(HTTPResponse(status: 429))])
    func `a sign-in whose answer is lost keeps the key and the session, and the next one works`(
        _ step: String, _ fault: FakeService.Fault
    ) async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let before = await auth.keeper.machine.record
        await world.service.fail(step, fault)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.biometrics.authenticate(World.prompt) }
        #expect(await auth.keeper.machine.record == before)
        #expect(try await auth.biometrics.isEnabled())
        try await auth.biometrics.authenticate(World.prompt)
    }

    @Test func `a lost answer about the person ends nothing: the session is stored before`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        try await auth.logout()
        await world.service.fail("/userinfo", .unreachable)
        let result = try await auth.biometrics.authenticate(World.prompt)
        #expect(result.userInfo.subject == "andy")
        #expect(try await world.touchable(device).start() == .signedIn(.fresh))
    }

    @Test func `a store that takes nothing is found out before the person is asked`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.store.set(writable: false)
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await device.keyNames.isEmpty)
        #expect(await device.prompts.isEmpty)
    }

    @Test func `a disk that is full once the service has the key leaves no key`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        await device.whenAsked { await world.store.set(writable: false) }
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await device.keyNames.isEmpty)
        await device.whenAsked(nil)
        await world.store.set()
        #expect(try await !auth.biometrics.isEnabled())
        try await auth.biometrics.enable(World.prompt)
        #expect(await device.keyNames.count == 1)
    }

    @Test func `a program that ends while it sets a key up leaves a note, and the next one removes the key`()
        async throws
    {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        // What a dead program cannot do: neither the device nor the store hears of it any more.
        await device.whenAsked {
            await device.setReachable(false)
            await world.store.set(writable: false)
        }
        await #expect(throws: AuthError.self) { try await auth.biometrics.enable(World.prompt) }
        await device.whenAsked(nil)
        await device.setReachable(true)
        await world.store.set()
        let orphan = await device.keyNames
        #expect(orphan.count == 1)
        let next = world.touchable(device)
        #expect(try await !next.biometrics.isEnabled())
        try await next.biometrics.enable(World.prompt)
        let names = await device.keyNames
        #expect(names.count == 1 && names != orphan)
    }

    @Test func `of many who enable at once one key is left, and it works`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let first = world.touchable(device)
        try await first.authorize(redirectURI: World.redirectURI)
        let containers = [first] + (1..<4).map { _ in world.touchable(device) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for auth in containers { group.addTask { try await auth.biometrics.enable(World.prompt) } }
            try await group.waitForAll()
        }
        #expect(await device.keyNames.count == 1)
        for auth in containers { try await auth.biometrics.authenticate(World.prompt) }
    }

    @Test func `whoever signs in while a key is set up is not unlocked by it`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        let gate = Gate()
        await world.service.fail("/oauth2/challenge", .answerHeld(gate))
        let late = Task { try await auth.biometrics.enable(World.prompt) }
        await gate.someoneArrives()
        await world.service.set { $0.subject = "mallory" }
        try await world.touchable(device).authorize(redirectURI: World.redirectURI)
        await gate.open()
        await #expect(throws: AuthError.self) { try await late.value }
        #expect(await world.service.biometrics.keys.isEmpty)
        #expect(await device.keyNames.isEmpty)
        #expect(try await !auth.biometrics.isEnabled())
    }

    @Test func `the session's end at set-up ends the session, and leaves no key`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        await world.service.forgetSession()
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.biometrics.enable(World.prompt) }
        #expect(await auth.state == .ended(.refused))
        #expect(await device.keyNames.isEmpty)
    }

    @Test func `an access token that was turned down is renewed, and the set-up goes on`() async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        let auth = world.touchable(device)
        try await auth.authorize(redirectURI: World.redirectURI)
        let refusal = FakeService.json(
            ["error": "invalid_grant", "error_description": "biometric setup requires authenticated user"], status: 401)
        await world.service.fail("/token", .answer(refusal))
        try await auth.biometrics.enable(World.prompt)
        #expect(try await auth.biometrics.isEnabled())
    }
}
