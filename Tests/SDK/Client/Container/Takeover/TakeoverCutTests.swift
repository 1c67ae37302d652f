import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("A takeover that is cut off at any step")
struct TakeoverCutTests {
    /// Lets one process begin with so many steps, and waits until it has done all that it can.
    private func run(_ world: DescopeWorld, steps: Int) async -> Power {
        let power = Power(steps: steps)
        let auth = world.app(power: power)
        _ = try? await auth.start()
        _ = await eventually { await world.isFinishedNow || power.isGone }
        _ = await eventually { await auth.state != .signedIn(.refreshing) }
        return power
    }

    @Test func `the steps are those that are cut`() async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        let power = await run(world, steps: 1_000)
        #expect(
            power.steps == [
                "write mark", "write session",  // ours is stored
                "write session", "send", "write session",  // it is renewed
                "remove their item", "write mark",
            ])
    }

    /// After the fourth step the service has rotated the token, and its answer was lost: what that means is the
    /// service's rule for every renewal. Here it is one that does not rotate, as Descope's do unless told to.
    @Test(arguments: 0..<8)
    func `the next process is signed in, and finishes`(_ steps: Int) async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        await world.service.set { $0.rotates = false }
        let power = await run(world, steps: steps)
        #expect(power.steps.count == min(steps, 7))
        world.clock.advance(100)
        let next = world.app()
        #expect(try await next.start().isSignedIn)
        _ = try await next.accessToken()
        #expect(await world.isFinished())
        world.clock.advance(601)
        _ = try await world.app().accessToken()
        #expect(await world.service.ended.isEmpty)
    }

    /// The same with a service that rotates and forgives nothing, as Box: but for the lost answer, nothing is lost.
    @Test(arguments: [0, 1, 2, 3, 5, 6, 7])
    func `so it is where each refresh token is good once`(_ steps: Int) async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        _ = await run(world, steps: steps)
        world.clock.advance(100)
        let next = world.app()
        #expect(try await next.start().isSignedIn)
        world.clock.advance(601)
        _ = try await next.accessToken()
        #expect(await world.isFinished())
    }

    /// A sign-out that is cut off is begun again, or is complete; the session never comes back after it.
    @Test(arguments: 0..<8)
    func `a sign-out that is cut off leaves one session or none`(_ steps: Int) async throws {
        let world = try DescopeWorld()
        try await world.leaveSession()
        await world.service.set { $0.rotates = false }
        let power = Power(steps: steps)
        let isDone: Bool
        do {
            try await world.app(power: power).logout()
            isDone = true
        } catch {
            isDone = false
        }
        world.clock.advance(100)
        if isDone {
            #expect(try await world.app().start() == .signedOut)
        } else if await world.service.ended.isEmpty {
            #expect(try await world.app().start().isSignedIn)
            try await world.app().logout()
        } else {
            try await world.app().logout()
        }
        #expect(try await world.app().start() == .signedOut)
        #expect(await world.isFinished())
    }
}

extension DescopeWorld {
    fileprivate var isFinishedNow: Bool { get async { await mark == .done && !items.has(item) } }
}
