import KeyturnBase
import KeyturnVerify
import Testing

@testable import Keyturn

/// Each container stands for a process that asks for one token and ends.
@Suite("Renewals of processes that live for one token")
struct ShortLivedProcessTests {
    private static let busy = HTTPResponse(status: 503)
    private static let invalidClient = FakeService.json(["error": "invalid_client"], status: 401)

    private static func record(_ world: World) async throws -> SessionRecord {
        try SessionRecord(try #require(await world.store.read("default").record))
    }

    @Test(arguments: [false, true])
    func `invalid_grant is believed soon after the last attempt without an answer`(_ isLost: Bool) async throws {
        let world = try World()
        _ = try await world.signedIn()
        world.clock.advance(600)
        let begun = world.clock.now
        await world.service.fail("/token", isLost ? .answerLost : .answer(Self.busy))
        await #expect(throws: AuthError(.unavailable, "")) { try await world.container().accessToken() }
        #expect(try await Self.record(world).renewalBegunAt == begun, "the answer may be on its way")
        await world.service.forgetSession()
        for _ in 1...3 {
            world.clock.advance(20)
            await #expect(throws: AuthError(.refused, "")) { try await world.container().accessToken() }
            #expect(try await Self.record(world).renewalBegunAt == begun, "an attempt that was answered leaves no mark")
        }
        world.clock.advance(20)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await world.container().accessToken() }
        #expect(try await world.container().start() == .ended(.refused))
    }

    @Test func `an attempt that was refused for certain takes its mark back`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        await world.service.fail("/token", .answer(Self.invalidClient))
        await #expect(throws: AuthError(.refused, "")) { try await auth.accessToken() }
        let record = try await Self.record(world)
        #expect(record.renewalBegunAt == nil && record.firstBegunAt == nil && record.rivalBegunAt == nil)
        #expect(await auth.state.isStale)
        await world.service.forgetSession()
        world.clock.advance(1)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await world.container().accessToken() }
    }

    @Test func `an attempt that was refused does not hide an earlier one of the same process`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        world.clock.advance(600)
        let begun = world.clock.now
        await world.service.fail("/token", .unreachable, .answer(Self.invalidClient))
        await #expect(throws: AuthError(.unavailable, "")) { try await auth.accessToken() }
        world.clock.advance(1)
        await #expect(throws: AuthError(.refused, "")) { try await auth.accessToken() }
        let record = try await Self.record(world)
        #expect(record.renewalBegunAt == begun && record.firstBegunAt == begun)
        // It is no rival of this process itself.
        await world.service.forgetSession()
        world.clock.advance(10)
        await #expect(throws: AuthError(.sessionEnded, "")) { try await auth.accessToken() }
    }

    @Test func `a refusal takes nothing from the process that has the answer`() async throws {
        let world = try World()
        let first = try await world.signedIn()
        let second = world.container()
        try await second.start()
        world.clock.advance(600)
        // As where nothing locks: both ask, and the server uses refresh tokens up.
        await world.store.set(lockable: false)
        let gate = Gate()
        await world.service.fail("/token", .answerHeld(gate))
        let late = Task { try await first.accessToken() }
        await gate.someoneArrives()
        await #expect(throws: AuthError(.refused, "")) { try await second.accessToken() }
        await gate.open()
        let token = try await late.value
        #expect(try await second.accessToken() == token)
        #expect(try await Self.record(world).accessToken == token)
        await world.store.set()
        world.clock.advance(Limits.renewalSecondsMax)
        #expect(try await second.forceRefresh() != token)
        #expect(await first.state.isSignedIn)
    }

    @Test func `what could not be stored is newer than a mark that was taken back`() {
        var machine = SessionMachineTests.signedIn()
        let start = SessionMachineTests.start
        machine.adopt(SessionMachineTests.record(3), .refreshed, isDurable: false, at: start)
        var found = SessionMachineTests.record(1)
        for (number, begun) in [(UInt64(3), start.wall), (4, nil), (9, nil)] as [(UInt64, UnixTime?)] {
            found.generation = Generation(signIn: "a", number: number)
            found.renewalBegunAt = begun
            machine.absorb(.found(found), at: start)
            #expect(machine.record == SessionMachineTests.record(3), "\(number)")
            #expect(!machine.isDurable)
        }
        // Another process has renewed what ours was made from: that is what counts.
        let theirs = SessionMachineTests.record(10)
        machine.absorb(.found(theirs), at: start)
        #expect(machine.record == theirs && machine.isDurable)
    }

    @Test func `what is stored over others' marks is later than they are`() {
        let one = Generation(signIn: "a", number: 4)
        #expect(one.later(than: Generation(signIn: "a", number: 3)) == one)
        #expect(one.later(than: one).number == 5)
        #expect(one.later(than: Generation(signIn: "a", number: 9)).number == 10)
        #expect(one.later(than: Generation(signIn: "b", number: 9)) == one)
    }

    @Test func `that the service wants the user is known although it could not be stored`() {
        var machine = SessionMachineTests.signedIn()
        let generation = SessionMachineTests.record().generation
        let now = SessionMachineTests.start + 600
        machine.noteInteraction(of: Generation(signIn: "b", number: 1))
        #expect(machine.state(at: now).isStale)
        machine.noteInteraction(of: generation)
        let error = AuthError(.interactionRequired, "")
        machine.renewalFailed(error, of: generation, jitter: 100, at: now)
        #expect(
            machine.takeChanges()
                == [SessionChange(.signedIn(.interactionRequired), .interactionRequired, error: error)])
        machine.isRenewing = true
        #expect(machine.state(at: now) == .signedIn(.interactionRequired))
    }
}
