import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

/// The service dates its answers by its own clock; the device's is wrong.
@Suite("Sessions on a device whose clock is wrong")
struct WrongClockTests {
    static let offsets: [Int64] = [-31_536_000, -3_600, -90, 90, 3_600, 31_536_000]

    private static func container(_ world: World, _ offset: Int64) async -> Keyturn {
        await world.service.set { $0.datesAnswers = true }
        return Keyturn(
            .openID(issuer: FakeService.issuer, clientID: FakeService.clientID), storage: .custom(world.store),
            browser: FakeBrowser(service: world.service), transport: world.service,
            ambient: world.clock.ambient(wrongBy: offset))
    }

    @Test(arguments: offsets)
    func `a person can sign in, and a renewed ID token is accepted`(_ offset: Int64) async throws {
        let world = try World()
        await world.service.set { $0.renewsIDToken = true }
        let auth = await Self.container(world, offset)
        let result = try await auth.authorize(redirectURI: World.redirectURI)
        #expect(result.idToken?.subject == "andy")
        world.clock.advance(300)
        let idToken = try await auth.refreshIDToken()
        #expect(idToken.issuedAt == world.clock.now)
    }

    @Test(arguments: offsets)
    func `an access token is used for as long as it lasts, and no longer`(_ offset: Int64) async throws {
        let world = try World()
        let auth = await Self.container(world, offset)
        try await auth.authorize(redirectURI: World.redirectURI)
        let token = try await auth.accessToken()
        world.clock.advance(530)
        #expect(try await auth.accessToken() == token)
        world.clock.advance(20)
        #expect(try await auth.accessToken() != token)
    }

    @Test(arguments: offsets)
    func `whoever sets the clock right signs nobody out`(_ offset: Int64) async throws {
        let world = try World()
        let before = await Self.container(world, offset)
        try await before.authorize(redirectURI: World.redirectURI)
        let after = await Self.container(world, 0)
        #expect(try await after.start().isSignedIn)
        _ = try await after.accessToken()
        world.clock.advance(1)
        _ = try await before.accessToken()
        #expect(await after.state == .signedIn(.fresh))
        #expect(await before.state == .signedIn(.fresh))
    }
}
