import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Methods: waiting for a link to be followed")
struct PollTests {
    /// Time passes when somebody sleeps.
    struct Nap: PollSleep {
        let clock: VirtualClock

        func seconds(_ seconds: Int64) async -> Bool {
            guard !Task.isCancelled else { return false }
            clock.advance(seconds)
            return true
        }
    }

    let world = MethodWorld()

    private func poll(_ timeout: Double? = nil) async throws -> AuthenticationResponse {
        try await world.container().enchantedLink.pollForSession(
            pendingRef: "ref", timeout: timeout, sleep: Nap(clock: world.clock))
    }

    private func looks() async -> Int {
        await world.service.count("/v1/auth/enchantedlink/pending-session")
    }

    @Test func `looks at once, then every second`() async throws {
        await world.service.set { $0.pendingLooks = 3 }
        let before = world.clock.now
        #expect(try await poll().user.userId == "U1")
        #expect(world.clock.now == before + 3)
        #expect(await looks() == 4)
    }

    @Test func `gives up after two minutes by the clock`() async throws {
        await world.service.set { $0.pendingLooks = 1_000 }
        let error = await #expect(throws: AuthError.self) { try await poll() }
        #expect(error?.code == .linkExpired)
        #expect(await looks() == 121)
    }

    @Test(arguments: [(0.0, 1), (-5.0, 1), (Double.nan, 1), (2.5, 4), (Double.infinity, 3_601)])
    func `the caller says how long`(_ timeout: Double, _ expected: Int) async throws {
        await world.service.set { $0.pendingLooks = 10_000 }
        await #expect(throws: AuthError(.linkExpired, "")) { try await poll(timeout) }
        #expect(await looks() == expected)
    }

    @Test func `a network that is down is waited for, and told in the end`() async throws {
        await world.service.fail("/v1/auth/enchantedlink/pending-session", .unreachable, .unreachable)
        #expect(try await poll().user.userId == "U1")
        await world.service.fail(
            "/v1/auth/enchantedlink/pending-session", .unreachable, .unreachable, .unreachable, .unreachable)
        await #expect(throws: AuthError(.unavailable, "")) { try await poll(2) }
    }

    @Test func `any other refusal is the last word`() async throws {
        await world.service.fail(
            "/v1/auth/enchantedlink/pending-session", .answer(FakeMethods.refusal(.linkUnknown)))
        let error = await #expect(throws: AuthError.self) { try await poll() }
        #expect(error?.methodCode == MethodProblem.linkUnknown.code)
        #expect(await looks() == 1)
    }

    @Test func `a server that asks for a pause gets it`() async throws {
        let busy = FakeMethods.refusal(.rateLimited(retryAfterSeconds: 7), headers: [("Retry-After", "7")])
        await world.service.fail("/v1/auth/enchantedlink/pending-session", .answer(busy))
        let before = world.clock.now
        _ = try await poll()
        #expect(world.clock.now == before + 7)
    }

    @Test func `cancelling is told as cancelling`() async throws {
        await world.service.set { $0.pendingLooks = 1_000 }
        let auth = world.container()
        let waiting = Task { try await auth.enchantedLink.pollForSession(pendingRef: "ref", timeout: 100) }
        while await looks() == 0 { await Task.yield() }
        waiting.cancel()
        let error = await #expect(throws: AuthError.self) { try await waiting.value }
        #expect(error?.code == .cancelled)
        #expect(error?.cause is CancellationError)
    }
}
