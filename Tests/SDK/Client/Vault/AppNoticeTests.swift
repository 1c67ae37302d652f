import Foundation
import KeyturnBase
import Testing

@testable import Keyturn

@Suite("What the system tells an app")
struct AppNoticeTests {
    /// Two notification centres as a Mac has them.
    struct System: Sendable {
        let app = NotificationCenter()
        let workspace = NotificationCenter()

        var notices: NamedNotices {
            NamedNotices(sources: [
                .init(
                    center: app,
                    meanings: [
                        "hide": .away(.background), "show": .back(.background), "data": .protectedDataAvailable,
                    ]),
                .init(center: workspace, meanings: ["sleep": .away(.sleep), "wake": .back(.sleep)]),
            ])
        }

        func post(_ name: String) {
            (["sleep", "wake"].contains(name) ? workspace : app).post(name: Notification.Name(name), object: nil)
        }
    }

    let system = System()

    private func unlocked(_ seconds: Int64) async throws -> (VaultWorld, Keyturn, Locked<Int>) {
        let world = try VaultWorld()
        let auth = try await world.stored()
        let calls = Locked(0)
        auth.vault.enableBackgroundTimeout(
            seconds: seconds, handler: { calls.withLock { $0 += 1 } }, notices: system.notices)
        return (world, auth, calls)
    }

    @Test func `the vault locks by itself when the app was away for too long`() async throws {
        let (world, auth, calls) = try await unlocked(10)
        system.post("hide")
        world.clock.advance(10)
        system.post("show")
        world.clock.advance(60)
        system.post("show")
        #expect(await auth.vault.unlockedUser == "andy")
        system.post("hide")
        world.clock.advance(11)
        system.post("show")
        #expect(await eventually { calls.withLock { $0 } == 1 })
        #expect(await auth.vault.unlockedUser == nil)
    }

    @Test func `an app that says it as well is counted from the first time, and locked once`() async throws {
        let (world, auth, calls) = try await unlocked(10)
        system.post("hide")
        world.clock.advance(9)
        auth.vault.didEnterBackground()
        world.clock.advance(2)
        await auth.vault.didBecomeActive()
        #expect(await auth.vault.unlockedUser == nil)
        system.post("show")
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func `sleep counts by itself, and waking up brings no hidden app back`() async throws {
        let (world, auth, calls) = try await unlocked(10)
        system.post("sleep")
        world.clock.advance(11)
        system.post("wake")
        #expect(await eventually { calls.withLock { $0 } == 1 })
        try await auth.vault.unlock("andy", password: "1234")
        system.post("hide")
        world.clock.advance(5)
        system.post("sleep")
        world.clock.advance(5)
        system.post("wake")
        world.clock.advance(5)
        #expect(await auth.vault.unlockedUser == "andy")
        system.post("show")
        #expect(await eventually { calls.withLock { $0 } == 2 })
    }

    @Test func `nothing listens once it is disabled, or the container is gone`() async throws {
        let (world, auth, calls) = try await unlocked(1)
        auth.vault.disableBackgroundTimeout()
        system.post("hide")
        world.clock.advance(60)
        system.post("show")
        #expect(await auth.vault.unlockedUser == "andy" && calls.withLock { $0 } == 0)
        weak var keeper: SessionKeeper?
        do {
            let auth = world.container("other")
            auth.vault.enableBackgroundTimeout(seconds: 1, handler: {}, notices: system.notices)
            auth.watch(system.notices)
            keeper = auth.keeper
        }
        for _ in 0..<2_000 where keeper != nil { try await Task.sleep(for: .milliseconds(1)) }
        #expect(keeper == nil)
        system.post("hide")
        system.post("show")
        system.post("data")
    }

    @Test func `what could not be read before the device was unlocked is read then, and told`() async throws {
        let world = try World()
        _ = try await world.signedIn()
        await world.store.set(readable: false)
        let auth = world.container()
        auth.watch(system.notices)
        var changes = auth.changes.makeAsyncIterator()
        await #expect(throws: AuthError(.storeUnavailable, "")) { try await auth.start() }
        #expect(await changes.next()?.reason == .storeUnavailable)
        system.post("data")
        #expect(await changes.next()?.reason == .storeUnavailable)
        await world.store.set()
        system.post("data")
        let change = await changes.next()
        #expect(change?.reason == .restored && change?.state == .signedIn(.fresh))
    }

    @Test func `a renewal asks for time while it holds the lock`() async throws {
        let world = try World()
        let auth = try await world.signedIn()
        let time = Wishes()
        await auth.keeper.ask(time)
        try await auth.forceRefresh()
        #expect(time.told.withLock { $0 } == ["asked", "ended"])
        // Suspended in the middle: the next process gets the lock.
        let gate = Gate()
        await world.service.fail("/token", .held(gate))
        async let renewal = auth.forceRefresh()
        await gate.someoneArrives()
        #expect(try await world.store.lock("default", timeoutSeconds: 0) == nil)
        await time.expire()
        #expect(try await world.store.lock("default", timeoutSeconds: 0) != nil)
        await gate.open()
        _ = try await renewal
    }

    final class Wishes: FinishingTime, FinishingWish {
        let told = Locked<[String]>([])
        private let last = Locked<(@Sendable () async -> Void)?>(nil)

        func ask(_ reason: String, expired: @escaping @Sendable () async -> Void) -> any FinishingWish {
            told.withLock { $0.append("asked") }
            last.withLock { $0 = expired }
            return self
        }

        func end() {
            told.withLock { $0.append("ended") }
        }

        func expire() async {
            await last.withLock { $0 }?()
        }
    }
}

extension SessionKeeper {
    func ask(_ time: any FinishingTime) {
        finishing = time
    }
}
