import KeyturnBase
import Synchronization
import Testing
@testable import Account
@testable import Model

@Suite("The key service: whose turn it is")
struct KeyQueueTests {
    /// What happened, in order.
    private final class Log: Sendable {
        private let written = Mutex<[String]>([])

        var lines: [String] { written.withLock { $0 } }

        func write(_ line: String) { written.withLock { $0.append(line) } }
    }

    /// Lets one in, has the others line up in the order given, and says in which order they were let in.
    private func order(_ queue: FairQueue, _ requests: [(network: String, key: String)]) async -> [String] {
        let done = Log()
        let gate = AsyncStream.makeStream(of: Void.self)
        let entered = AsyncStream.makeStream(of: Void.self)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                _ = await queue.inTurn("first", "") {
                    entered.continuation.yield()
                    for await _ in gate.stream { break }
                }
            }
            for await _ in entered.stream { break }
            for (index, request) in requests.enumerated() {
                let before = (queue.waiting, done.lines.count)
                group.addTask {
                    let isDone: Void? = await queue.inTurn(request.network, request.key) {
                        done.write("\(request.network)/\(request.key)/\(index)")
                    }
                    if isDone == nil { done.write("sent away") }
                }
                while (queue.waiting, done.lines.count) == before { await Task.yield() }
            }
            gate.continuation.yield()
        }
        return done.lines
    }

    @Test func `networks take turns, and in each of them keys do`() async {
        let queue = FairQueue(atOnce: 1)
        let asked = (0..<6).map { (network: "flood", key: "k\($0 % 3)") } + [("calm", "mine"), ("flood", "mine")]
        let order = await order(queue, asked)
        let calm = order.firstIndex { $0.hasPrefix("calm") }
        #expect((calm ?? .max) <= 1, "one of the flood's at most comes before: \(order)")
        let neighbour = order.firstIndex { $0.hasPrefix("flood/mine") }
        #expect((neighbour ?? .max) <= 5, "one of each other key comes before: \(order)")
        #expect(order.count == 8 && queue.waiting == 0)
    }

    @Test func `when too many wait, the newest of the longest line is sent away, and nobody else`() async {
        let queue = FairQueue(atOnce: 1, waitingMax: 4)
        let asked = (0..<4).map { (network: "flood", key: "k\($0)") } + [("calm", "mine")]
        let order = await order(queue, asked)
        #expect(order.count { $0 == "sent away" } >= 1)
        #expect(order.contains { $0.hasPrefix("calm/mine") })
    }

    @Test func `a line of IPv6 is one, whatever its networks`() {
        let one = NetworkAddress("2001:db8:77:1::5")
        let other = NetworkAddress("2001:db8:77:ffff::9")
        #expect(one.network != other.network && one.site == other.site)
        #expect(NetworkAddress("192.0.2.1").site == "192.0.2.1")
        #expect(NetworkAddress("2001:db8:78::1").site != one.site)
    }
}
