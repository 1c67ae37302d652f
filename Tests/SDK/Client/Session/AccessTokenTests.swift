import Foundation
import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

@Suite("Access tokens and their renewal")
struct AccessTokenTests {
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
        #expect(await auth.state == .ended(.refused))
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
        let record = try SessionRecord(try #require(await world.store.read(auth.name).record))
        let next = record.renewed(by: try await auth.provider.renew(record), at: world.clock.now)
        let outcome = try await world.store.write(next.stored, for: auth.name, when: .generation(record.generation))
        #expect(outcome == .done)
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

    @Test func `on a full disk nothing is rotated, and nobody is signed out`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.store.set(writable: false)
        let before = await world.service.count("/token")
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.accessToken() }
        #expect(await world.service.count("/token") == before)
        #expect(await auth.state.isStale)
        await world.store.set(writable: true)
        let token = try await auth.accessToken()
        #expect(try await world.container().accessToken() == token)
    }

    @Test func `a disk that fills up while the server answers does not end a session, and is made up for`() async throws
    {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let gate = Gate()
        await world.service.fail("/token", .answerHeld(gate))
        let caller = Task { try await auth.accessToken() }
        await gate.someoneArrives()
        await world.store.set(writable: false)
        await gate.open()
        let token = try await caller.value
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
        #expect(await auth.state.isStale)
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
        #expect(await auth.state == .signedIn(.interactionRequired))
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
