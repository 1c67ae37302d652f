import Foundation
import KeyturnBase
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("Time to finish", .serialized)
    struct FinishingTimeTests {
        private func eventually(_ condition: () -> Bool) async -> Bool {
            for _ in 0..<2_000 where !condition() { try? await Task.sleep(for: .milliseconds(1)) }
            return condition()
        }

        @Test func `the system waits until a lock is let go`() async throws {
            let store = MemoryStore()
            let lock = try #require(try await store.lock("a", timeoutSeconds: 1))
            let wish = FinishingLock(lock, ExpiringActivity())
            #expect(StandInActivities.shared.count == 1)
            await wish.unlock()
            await wish.unlock()
            #expect(await eventually { StandInActivities.shared.count == 0 })
            // Nothing is left that the end of the time would change.
            StandInActivities.shared.expire()
            #expect(try await store.lock("a", timeoutSeconds: 1) != nil)
        }

        @Test func `when the time is over the lock is let go, before the process is suspended`() async throws {
            let store = MemoryStore()
            let lock = try #require(try await store.lock("a", timeoutSeconds: 1))
            let wish = FinishingLock(lock, ExpiringActivity())
            #expect(try await store.lock("a", timeoutSeconds: 0) == nil)
            await DetachedThread.run { StandInActivities.shared.expire() }
            #expect(try await store.lock("a", timeoutSeconds: 0) != nil)
            #expect(await eventually { StandInActivities.shared.count == 0 })
            await wish.unlock()
        }
    }
}
