import KeyturnBase
import KeyturnClientAuthenticator
import KeyturnVerify
import Testing

@testable import Keyturn

/// `InvalidCredentials` is said of a late or ill-dated request too: a key must not go for that.
@Suite("A key behind a touch on a device whose clock is wrong")
struct BiometricClockTests {
    static let offsets: [Int64] = [-31_536_000, -3_600, -700, 700, 3_600, 31_536_000]

    @Test(arguments: offsets)
    func `requests are dated by the service's clock`(_ offset: Int64) async throws {
        let world = try World()
        await world.service.set { $0.datesAnswers = true }
        let device = SoftwareBiometrics()
        let auth = world.touchable(device, wrongBy: offset)
        try await auth.authorize(redirectURI: World.redirectURI)
        try await auth.biometrics.enable(World.prompt)
        try await world.touchable(device, wrongBy: offset).biometrics.authenticate(World.prompt)
        let issued = await world.service.biometrics.requests.compactMap { $0.payload["iat"]?.integerValue }
        #expect(issued == [world.clock.now.rawValue, world.clock.now.rawValue])
    }

    @Test(arguments: offsets)
    func `a refusal that shows what time it is, is followed by a request of that time`(_ offset: Int64) async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        _ = try await world.enabled(device)
        await world.service.set {
            $0.datesAnswers = true
            $0.undated = ["/oauth2/challenge"]
        }
        let auth = world.touchable(device, wrongBy: offset)
        // Discovery answers may have been kept for a while: they set no clock.
        try await auth.biometrics.authenticate(World.prompt)
        let count = await world.service.biometrics.requests.count
        #expect(count == 3)
        #expect(await device.keyNames.count == 1)
    }

    @Test(arguments: offsets)
    func `a service that never says what time it is cannot end a key`(_ offset: Int64) async throws {
        let world = try World()
        let device = SoftwareBiometrics()
        _ = try await world.enabled(device)
        let auth = world.touchable(device, wrongBy: offset)
        await #expect(throws: AuthError(.refused, "")) { try await auth.biometrics.authenticate(World.prompt) }
        #expect(try await auth.biometrics.isEnabled())
        try await world.touchable(device).biometrics.authenticate(World.prompt)
    }

    @Test func `whoever hesitates is asked again, and loses no key`() async throws {
        let world = try World()
        await world.service.set { $0.datesAnswers = true }
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        let hesitations = Locked(1)
        await device.whenAsked {
            let hesitates = hesitations.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            if hesitates { world.clock.advance(301) }
        }
        try await auth.biometrics.authenticate(World.prompt)
        #expect(await device.prompts.count == 3)
        // Twice is too much for one call; the key stays all the same.
        hesitations.withLock { $0 = 2 }
        await #expect(throws: AuthError(.refused, "")) { try await auth.biometrics.authenticate(World.prompt) }
        #expect(try await auth.biometrics.isEnabled())
        try await auth.biometrics.authenticate(World.prompt)
    }

    @Test func `a touch a minute later is in time`() async throws {
        let world = try World()
        await world.service.set { $0.datesAnswers = true }
        let device = SoftwareBiometrics()
        let auth = try await world.enabled(device)
        await device.whenAsked { world.clock.advance(60) }
        try await auth.biometrics.authenticate(World.prompt)
        #expect(await world.service.biometrics.requests.count == 2)
        // And a refusal of it counts.
        await world.service.set { $0.biometrics.keys = [:] }
        await #expect(throws: AuthError(.biometricKeyNotFound, "")) {
            try await auth.biometrics.authenticate(World.prompt)
        }
        #expect(await device.keyNames.isEmpty)
    }
}
