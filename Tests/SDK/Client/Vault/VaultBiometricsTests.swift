import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("A vault that opens with a touch")
struct VaultBiometricsTests {
    static let prompt = BiometricPrompt(reason: "Unlock")

    @Test func `a touch unlocks, and the network is announced once, after the person was recognised`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        try await auth.vault.enableBiometrics("andy", password: "1234")
        try await auth.vault.lock()
        let seen = Locked<[String]>([])
        let (device, keys) = (world.device, world.keys)
        let asked = await keys.count("key")
        try await auth.vault.unlockWithBiometrics("andy", prompt: Self.prompt) {
            let line = await "\(device.prompts) prompts, \(keys.count("key") - asked) requests"
            seen.withLock { $0.append(line) }
        }
        #expect(seen.withLock { $0 } == ["1 prompts, 0 requests"])
        #expect(try await auth.fetchAPI() == 200)
        // The password is as good as before.
        try await auth.vault.lock()
        try await auth.vault.unlock("andy", password: "1234")
        #expect(
            try await auth.vault.refreshTokenWithBiometrics("andy", prompt: Self.prompt)?.exposed()
                == world.provider.refreshToken)
    }

    @Test(arguments: [AuthError.Code.cancelled, .biometricFailed, .biometricLockout])
    func `who is not recognised unlocks nothing, and nothing is sent`(_ problem: AuthError.Code) async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        try await auth.vault.enableBiometrics("andy", password: "1234")
        try await auth.vault.lock()
        await world.device.set { $0.problem = problem }
        let asked = await world.keys.requests.count
        let announced = Locked(0)
        let error = await #expect(throws: AuthError.self) {
            try await auth.vault.unlockWithBiometrics("andy", prompt: Self.prompt) {
                announced.withLock { $0 += 1 }
            }
        }
        #expect(error?.code == problem && error?.isKeyServiceError == false)
        #expect(error?.isCancelled == (problem == .cancelled) && error?.isBiometricFailed == (problem != .cancelled))
        #expect(announced.withLock { $0 } == 0)
        #expect(await world.keys.requests.count == asked)
        #expect(await auth.state == .signedOut)
        #expect(try await auth.vault.hasBiometrics("andy"))
    }

    @Test func `without touches enabled, or once they are disabled, the password is asked for`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        await #expect(throws: AuthError.code(.biometricKeyNotFound)) {
            try await auth.vault.unlockWithBiometrics("andy", prompt: Self.prompt)
        }
        try await auth.vault.enableBiometrics("andy", password: "1234")
        try await auth.vault.disableBiometrics("andy")
        #expect(try await auth.vault.hasBiometrics("andy") == false)
        await #expect(throws: AuthError.code(.biometricKeyNotFound)) {
            try await auth.vault.unlockWithBiometrics("andy", prompt: Self.prompt)
        }
        await #expect(throws: AuthError.code(.vaultIncomplete)) {
            try await auth.vault.unlockWithBiometrics("nobody", prompt: Self.prompt)
        }
    }

    @Test func `5: touches need the long secret, which older services keep to themselves`() async throws {
        let world = try VaultWorld()
        let auth = try await world.locked()
        await world.keys.set { $0.handsOutLongSecrets = false }
        await #expect(throws: AuthError.code(.vaultNoLongSecret)) {
            try await auth.vault.enableBiometrics("andy", password: "1234")
        }
        try await auth.vault.unlock("andy", password: "1234")
        #expect(await world.device.secrets.isEmpty)
    }

    @Test func `a device that cannot recognise anybody says what is missing before the password is sent`() async throws
    {
        let world = try VaultWorld()
        let auth = try await world.locked()
        await world.device.set { $0.support = .biometricNoEnrollment }
        await #expect(throws: AuthError.code(.biometricNoEnrollment)) {
            try await auth.vault.enableBiometrics("andy", password: "0000")
        }
        #expect(await world.keys.count("key") == 0)
    }

    @Test func `a locked key refuses the touch as well`() async throws {
        let world = try VaultWorld()
        let auth = try await world.stored()
        try await auth.vault.enableBiometrics("andy", password: "1234")
        try await auth.vault.lock()
        for _ in 0..<3 { _ = try? await auth.vault.unlock("andy", password: "0") }
        await #expect(throws: AuthError.code(.vaultKeyLocked)) {
            try await auth.vault.unlockWithBiometrics("andy", prompt: Self.prompt)
        }
    }
}

@Suite("A vault that locks in the background")
struct BackgroundTimeoutTests {
    private func unlocked(_ seconds: Int64) async throws -> (VaultWorld, Keyturn, Locked<Int>) {
        let world = try VaultWorld()
        let auth = try await world.stored()
        let calls = Locked(0)
        auth.vault.enableBackgroundTimeout(seconds: seconds) { calls.withLock { $0 += 1 } }
        return (world, auth, calls)
    }

    @Test func `12: nine seconds of ten keep the session, and a later activation does not count them again`()
        async throws
    {
        let (world, auth, calls) = try await unlocked(10)
        auth.vault.didEnterBackground()
        world.clock.advance(9)
        await auth.vault.didBecomeActive()
        #expect(await auth.vault.unlockedUser == "andy")
        // A system panel is dismissed: no way from the background.
        world.clock.advance(60)
        await auth.vault.didBecomeActive()
        #expect(await auth.vault.unlockedUser == "andy" && calls.withLock { $0 } == 0)
    }

    @Test func `ten seconds of ten keep the session, eleven do not, every time`() async throws {
        let (world, auth, calls) = try await unlocked(10)
        auth.vault.didEnterBackground()
        world.clock.advance(10)
        await auth.vault.didBecomeActive()
        #expect(await auth.vault.unlockedUser == "andy")
        for round in 1...2 {
            auth.vault.didEnterBackground()
            world.clock.advance(11)
            await auth.vault.didBecomeActive()
            #expect(await auth.vault.unlockedUser == nil)
            #expect(await auth.state == .signedOut)
            #expect(calls.withLock { $0 } == round)
            try await auth.vault.unlock("andy", password: "1234")
        }
    }

    @Test func `whoever sets the clock gains nothing, and loses nothing`() async throws {
        let (world, auth, _) = try await unlocked(10)
        auth.vault.didEnterBackground()
        world.clock.jump(100_000)
        await auth.vault.didBecomeActive()
        #expect(await auth.vault.unlockedUser == "andy")
        auth.vault.didEnterBackground()
        world.clock.advance(11)
        world.clock.jump(-11)
        await auth.vault.didBecomeActive()
        #expect(await auth.vault.unlockedUser == nil)
    }

    @Test func `disabled, it forgets when the app went; who is not signed in is left alone`() async throws {
        let (world, auth, calls) = try await unlocked(10)
        auth.vault.didEnterBackground()
        auth.vault.disableBackgroundTimeout()
        auth.vault.enableBackgroundTimeout(seconds: 1) { calls.withLock { $0 += 1 } }
        world.clock.advance(60)
        await auth.vault.didBecomeActive()
        #expect(await auth.vault.unlockedUser == "andy")
        try await auth.vault.lock()
        auth.vault.didEnterBackground()
        world.clock.advance(60)
        await auth.vault.didBecomeActive()
        #expect(calls.withLock { $0 } == 0)
    }

    @Test func `a session in memory alone is forgotten, one that is stored plainly stays`() async throws {
        for storage in [SessionStorage.memory, .custom(MemoryStore())] {
            let world = try VaultWorld()
            let auth = world.container(storage: storage)
            try await auth.authorize(redirectURI: World.redirectURI)
            auth.vault.enableBackgroundTimeout(seconds: 10)
            auth.vault.didEnterBackground()
            world.clock.advance(11)
            await auth.vault.didBecomeActive()
            if case .memory = storage {
                #expect(await auth.state == .signedOut)
            } else {
                #expect(await auth.state.isSignedIn)
            }
            #expect(await world.provider.revoked.isEmpty)
        }
    }
}
