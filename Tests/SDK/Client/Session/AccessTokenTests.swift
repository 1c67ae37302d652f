import Foundation
import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Access tokens and their renewal")
struct AccessTokenTests {
    static let busy = HTTPResponse(status: 429, headers: [("Retry-After", "30")])

    @Test func `a hundred callers cause one renewal`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let before = await world.service.count("/token")
        let locks = await world.store.locks
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await auth.accessToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(await world.store.locks == locks + 1)
        #expect(await world.service.count("/token") == before + 1)
        #expect(await world.service.validAccessTokens.isSuperset(of: tokens))
    }

    @Test func `a hundred callers in ten containers of one name cause one renewal`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        let containers = (0..<10).map { _ in world.container() }
        for container in containers { try await container.start() }
        world.clock.advance(600)
        let before = await world.service.count("/token")
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for index in 0..<100 { group.addTask { try await containers[index % 10].accessToken() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(await world.service.count("/token") == before + 1)
    }

    @Test func `a valid token is not renewed`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let before = await world.service.count("/token")
        world.clock.advance(400)
        let first = try await auth.accessToken()
        #expect(try await auth.accessToken() == first)
        #expect(await world.service.count("/token") == before)
    }

    @Test func `being offline signs nobody out`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        var changes = auth.changes.makeAsyncIterator()
        world.clock.advance(600)
        await world.service.fail("/token", .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        #expect(await auth.state == .signedIn(.stale))
        let change = await changes.next()
        #expect(change == SessionChange(.signedIn(.stale), .refreshFailed, error: AuthError(.unavailable, "")))
        _ = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
        #expect(await changes.next() == SessionChange(.signedIn(.fresh), .refreshed))
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
            code: .protocolViolation),
        Outage(
            name: "a captive portal's redirect",
            response: HTTPResponse(status: 302, headers: [("Location", "https://wifi.example")]),
            code: .protocolViolation),
        Outage(name: "a gateway's 403", response: HTTPResponse(status: 403), code: .refused),
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
        #expect(await auth.state == .signedIn(.stale))
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

    @Test func `a renewal ahead of time may fail`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let token = try await auth.accessToken()
        world.clock.advance(500)
        await world.service.fail("/token", .unreachable)
        #expect(try await auth.accessToken() == token)
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `invalid_grant ends the session for good`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        var changes = auth.changes.makeAsyncIterator()
        await world.service.forgetSession()
        world.clock.advance(600)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
        #expect(await auth.state == .signedOut)
        let change = await changes.next()
        #expect(change?.reason == .ended)
        #expect(change?.error?.server?.code == "invalid_grant")
        await #expect(throws: AuthError(.signedOut, "")) { try await auth.accessToken() }
        guard case .absent = await world.store.read("default") else {
            Issue.record("the ended session is still stored")
            return
        }
    }

    @Test func `invalid_grant for a token that another process replaced ends nothing`() async throws {
        let world = try World()
        let first = try await world.signedIn()
        let second = world.container()
        try await second.start()
        // The first renews while the second still holds what was before, and does not look into the store.
        let gate = Gate()
        world.clock.advance(600)
        await world.service.fail("/token", .held(gate))
        let late = Task { try await second.accessToken() }
        await gate.someoneArrives()
        let token = try await Self.renewWithoutLock(world, first)
        await gate.open()
        #expect(try await late.value == token)
        #expect(await second.state == .signedIn(.fresh))
    }

    /// What a process does that ignores the lock, on a file system that has none: renews, and stores.
    private static func renewWithoutLock(_ world: World, _ auth: Keyturn) async throws -> String {
        let record = try #require(await auth.keeper.machine.record)
        let next = record.renewed(by: try await auth.provider.renew(record), at: world.clock.now)
        try await world.store.write(next.stored, for: auth.name)
        return next.accessToken
    }

    @Test func `cancelling one caller cancels nobody else`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .held(gate))
        let patient = Task { try await auth.accessToken() }
        await gate.someoneArrives()
        let impatient = Task { try await auth.accessToken() }
        impatient.cancel()
        await #expect(throws: AuthError(.cancelled, "")) { try await impatient.value }
        await gate.open()
        #expect(try await !patient.value.isEmpty)
        #expect(await auth.state == .signedIn(.fresh))
    }

    @Test func `cancelling the caller that began a renewal does not stop it`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .held(gate))
        let first = Task { try await auth.accessToken() }
        await gate.someoneArrives()
        let second = Task { try await auth.accessToken() }
        first.cancel()
        await #expect(throws: AuthError(.cancelled, "")) { try await first.value }
        await gate.open()
        #expect(try await !second.value.isEmpty)
    }

    @Test func `a full disk does not end a session, and is made up for`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.store.set(writable: false)
        let token = try await auth.accessToken()
        #expect(await auth.state == .signedIn(.fresh))
        await world.store.set(writable: true)
        world.clock.advance(1)
        #expect(try await auth.accessToken() == token)
        let other = world.container()
        #expect(try await other.accessToken() == token)
    }

    @Test func `with an unreadable store nothing is rotated`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.store.set(readable: false)
        let before = await world.service.count("/token")
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.accessToken() }
        #expect(await world.service.count("/token") == before)
        #expect(await auth.state == .signedIn(.stale))
        await world.store.set()
        _ = try await auth.accessToken()
    }

    @Test func `a forced refresh renews a valid token`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let before = try await auth.accessToken()
        #expect(try await auth.forceRefresh() != before)
    }

    @Test func `a token turned down after it was renewed is not renewed again`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let refused = try await auth.accessToken()
        let token = try await auth.replacement(for: refused)
        let asked = await world.service.count("/token")
        #expect(try await auth.replacement(for: refused) == token)
        #expect(await world.service.count("/token") == asked)
    }

    @Test func `a session without refresh token ends with its access token`() async throws {
        let world = try World()
        await world.service.set { $0.issuesRefreshTokens = false }
        let auth = try await world.signedIn()
        _ = try await auth.accessToken()
        await #expect(throws: AuthError(.unsupported, "")) { try await auth.forceRefresh() }
        world.clock.advance(600)
        await #expect(throws: AuthError(.tokenExpired, "")) { try await auth.accessToken() }
        #expect(await auth.state == .signedIn(.stale))
    }

    @Test func `a lost answer is asked for again with the same token`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let token = await world.service.refreshToken
        world.clock.advance(600)
        await world.service.fail("/token", .answerLost)
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        let record = try #require(await auth.keeper.machine.record)
        #expect(record.refreshToken == token)
    }
}
