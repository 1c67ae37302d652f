import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

/// Something on the way that writes a `Date` of its own into every answer.
private struct DatingProxy: HTTPTransport {
    let service: FakeService
    let clock: VirtualClock
    let offset: Int64

    func send(_ request: HTTPRequest) async throws(AuthError) -> HTTPResponse {
        let response = try await service.send(request)
        let date = FakeService.date(clock.now + offset)
        return HTTPResponse(
            status: response.status, headers: response.headers + [("Date", date)], body: response.body)
    }
}

@Suite("ID tokens by two clocks, the service's and the device's")
struct TwoClockTests {
    private let world: World

    init() throws {
        world = try World()
    }

    private func container(proxy: Int64?, device: Int64 = 0) -> Keyturn {
        let service = world.service
        let transport: any HTTPTransport =
            if let proxy { DatingProxy(service: service, clock: world.clock, offset: proxy) } else { service }
        return Keyturn(
            .openID(issuer: FakeService.issuer, clientID: FakeService.clientID), storage: .memory,
            browser: FakeBrowser(service: service), transport: transport,
            ambient: world.clock.ambient(wrongBy: device))
    }

    @Test(arguments: [-31_536_000, -7_200, 7_200, 31_536_000])
    func `a proxy's wrong date refuses no token while the device's clock is right`(_ offset: Int64) async throws {
        await world.service.set { $0.renewsIDToken = true }
        let auth = container(proxy: offset)
        #expect(try await auth.authorize(redirectURI: World.redirectURI).idToken?.subject == "andy")
        world.clock.advance(300)
        #expect(try await auth.refreshIDToken().issuedAt == world.clock.now)
    }

    @Test(arguments: [(7_200, AuthError.Code.tokenExpired), (-7_200, .tokenNotYetValid)] as [(Int64, AuthError.Code)])
    func `what both clocks refuse is refused, and the error names both`(
        _ proxy: Int64, _ code: AuthError.Code
    ) async throws {
        let device: Int64 = 86_400
        let auth = container(proxy: proxy, device: device)
        let error = await #expect(throws: AuthError(code, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(error?.detail.contains("Date") == true && error?.detail.contains("this device's clock") == true)
        #expect(error?.detail.contains("\((device - proxy).magnitude) seconds") == true)
    }

    @Test func `without a date the device's clock is named alone`() async throws {
        let auth = container(proxy: nil, device: -86_400)
        let error = await #expect(throws: AuthError(.tokenNotYetValid, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(error?.detail.contains("this device's clock") == true && error?.detail.contains("no Date") == true)
    }

    @Test func `a device's clock that was set back does not make an old sign-in fresh`() async throws {
        let old = world.clock.now.rawValue
        let auth = container(proxy: 0, device: -3_600)
        try await auth.authorize(redirectURI: World.redirectURI)
        world.clock.advance(3_600)
        await world.service.set { $0.claims["auth_time"] = .integer(old) }
        await #expect(throws: AuthError(.tokenInsufficient, "")) {
            try await auth.reauthenticate(redirectURI: World.redirectURI)
        }
    }

    @Test func `an ID token without the nonce that was sent is refused, and the error says so`() async throws {
        let token = try await world.service.idToken(nonce: nil, authTime: world.clock.now.rawValue)
        let answer: JSONValue = ["access_token": "a", "token_type": "Bearer", "id_token": .string(token)]
        await world.service.fail("/token", .answer(FakeService.json(answer)))
        let auth = container(proxy: nil)
        let error = await #expect(throws: AuthError(.tokenMisdirected, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(error?.detail.contains("has no nonce") == true)
        await world.service.set { $0.tamperedNonce = "x" }
        let other = await #expect(throws: AuthError(.tokenMisdirected, "")) {
            try await auth.authorize(redirectURI: World.redirectURI)
        }
        #expect(other?.detail.contains("has no nonce") == false)
    }
}
