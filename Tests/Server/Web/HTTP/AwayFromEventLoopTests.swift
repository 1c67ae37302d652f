import Model
import NIOCore
import NIOPosix
import Testing

@testable import Web

@Suite("Work away from the event loop")
struct AwayFromEventLoopTests {
    @Test func `it runs elsewhere with its task-local values, and its caller goes on where it was`() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let seen = try await Task(executorPreference: LoopExecutor(loop)) {
            try await AuditOrigin.$address.withValue("192.0.2.1") {
                let before = loop.inEventLoop
                let (away, address) = try await awayFromEventLoop { (loop.inEventLoop, AuditOrigin.address) }
                return (before: before, away: away, address: address, after: loop.inEventLoop)
            }
        }.value
        #expect(seen.before && !seen.away && seen.after)
        #expect(seen.address == "192.0.2.1")
    }
}
