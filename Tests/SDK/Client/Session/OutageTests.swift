import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Sessions while the service is away")
struct OutageTests {
    static let busy = HTTPResponse(status: 429, headers: [("Retry-After", "30")])

    @Test func `being offline signs nobody out`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        var changes = auth.changes.makeAsyncIterator()
        world.clock.advance(600)
        await world.service.fail("/token", .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        #expect(await auth.state.isStale)
        let change = await changes.next()
        #expect(change?.reason == .refreshFailed)
        #expect(change?.state.isStale == true)
        #expect(change?.error == AuthError(.unavailable, ""))
        _ = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .refreshed))
    }

    private static func page(_ status: Int) -> HTTPResponse {
        HTTPResponse(
            status: status, headers: [("Content-Type", "text/html")], body: Array("<html>Please pay</html>".utf8))
    }

    @Test(arguments: [200, 302, 401, 403, 511])
    func `a captive portal is named as what it is, and the session stays`(_ status: Int) async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.fail("/token", .answer(Self.page(status)))
        let error = await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        #expect(error?.detail.contains("between this device and the service") == true)
        #expect(error?.server?.status == status)
        #expect(await auth.state.isStale)
    }

    struct Outage: Sendable, CustomTestStringConvertible {
        let name: String
        let response: HTTPResponse
        let code: AuthError.Code
        var testDescription: String { name }
    }

    static let outages = [
        Outage(name: "500", response: HTTPResponse(status: 500), code: .unavailable),
        Outage(
            name: "503 with a verdict in it", response: FakeService.json(["error": "invalid_grant"], status: 503),
            code: .unavailable),
        Outage(name: "429", response: busy, code: .unavailable),
        Outage(
            name: "a captive portal's page", response: HTTPResponse(status: 200, body: Array("<html>".utf8)),
            code: .unavailable),
        Outage(
            name: "a captive portal's redirect",
            response: HTTPResponse(status: 302, headers: [("Location", "https://wifi.example")]),
            code: .unavailable),
        Outage(name: "a gateway's 401", response: page(401), code: .unavailable),
        Outage(name: "a gateway's 403", response: page(403), code: .unavailable),
        Outage(name: "a 403 without words", response: HTTPResponse(status: 403), code: .refused),
        Outage(name: "a proxy's 407", response: page(407), code: .unavailable),
        Outage(name: "a portal's 511", response: page(511), code: .unavailable),
        Outage(
            name: "invalid_client", response: FakeService.json(["error": "invalid_client"], status: 401),
            code: .refused),
        Outage(
            name: "temporarily_unavailable",
            response: FakeService.json(["error": "temporarily_unavailable"], status: 400), code: .unavailable),
        Outage(
            name: "a token answer without a token", response: FakeService.json(["token_type": "Bearer"]),
            code: .protocolViolation),
        Outage(
            name: "a token that would break a header",
            response: FakeService.json(["access_token": "a\r\nX: y", "token_type": "Bearer"]),
            code: .protocolViolation),
    ]

    @Test(arguments: outages)
    func `only the server's definite word ends a session`(_ outage: Outage) async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.fail("/token", .answer(outage.response))
        await #expect(throws: AuthError(outage.code, "")) { try await auth.accessToken() }
        #expect(await auth.state.isStale)
        world.clock.advance(60)
        _ = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `a server that asks for a pause is left alone`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.fail("/token", .answer(Self.busy))
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        let asked = await world.service.count("/token")
        world.clock.advance(29)
        let error = await #expect(throws: AuthError.self) { try await auth.accessToken() }
        #expect(error?.server?.retryAfterSeconds == 1)
        #expect(await world.service.count("/token") == asked)
        world.clock.advance(1)
        _ = try await auth.accessToken()
    }
}
