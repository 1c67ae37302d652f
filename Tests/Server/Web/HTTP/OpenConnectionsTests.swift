import KeyturnBase
import NIOCore
import Synchronization
import Testing

@testable import Web

@Suite("How many connections may be open, and whose give way")
struct OpenConnectionsTests {
    /// A server's connections, and clients that open some.
    private final class Bench {
        let connections: OpenConnections
        private var keys: [Key] = []
        private let left = Numbers()

        final class Key: Sendable {}

        init(all: Int, trusted: [String] = []) throws {
            connections = OpenConnections(
                bounds: ConnectionBounds(all: all), trustedProxies: try trusted.map(IPAddressRange.init))
        }

        /// The numbers of the connections that were asked to leave, in that order.
        var leaving: [Int] { left.all }

        /// - Parameter idle: since when, in seconds; `nil`: at work.
        /// - Returns: its number; `nil` if it was refused.
        @discardableResult
        func open(_ address: String?, idle: Int64? = nil) -> Int? {
            let (key, number) = (Key(), keys.count)
            let isAdmitted = connections.admit(ObjectIdentifier(key), from: address) { [left] in
                left.add(number)
            }
            keys.append(key)
            guard isAdmitted else { return nil }
            if let idle {
                connections.place(of: ObjectIdentifier(key))?.enters(
                    isIdle: true, at: .uptimeNanoseconds(UInt64(idle) * 1_000_000_000))
            }
            return number
        }

        func close(_ number: Int) { connections.release(ObjectIdentifier(keys[number])) }
        func closeLeaving() { for number in leaving { close(number) } }
    }

    @Test func `a share is a quarter, half of few files is for the process, and the whole has an end`() {
        #expect(ConnectionBounds(openFiles: 256) == ConnectionBounds(all: 128))
        #expect(ConnectionBounds(openFiles: 1_024).all == 512)
        #expect(ConnectionBounds(openFiles: 4_096).all == 3_584)
        #expect(ConnectionBounds(openFiles: 65_536).all == ConnectionBounds.most)
        #expect(ConnectionBounds(openFiles: .max).all == ConnectionBounds.most)
        #expect(ConnectionBounds(openFiles: 0).all >= 1 && ConnectionBounds(all: 2).each == 1)
        #expect(ConnectionBounds(openFiles: 256).each == 32)
    }

    @Test func `115: a client above its share is refused while all its connections are at work, and no other is`()
        throws
    {
        let bench = try Bench(all: 64)
        for _ in 0..<16 { #expect(bench.open("192.0.2.1") != nil) }
        #expect(bench.open("192.0.2.1") == nil)
        #expect(bench.open("192.0.2.2") != nil && bench.connections.counts.refused == 1)
        bench.close(0)
        #expect(bench.open("192.0.2.1") != nil)
        #expect(bench.open("192.0.2.1") == nil && bench.leaving.isEmpty)
    }

    @Test
    func `115: four hundred idle connections of one client take its share, and its oldest give way to its newest`()
        throws
    {
        let bench = try Bench(all: 128)
        let other = try #require(bench.open("198.51.100.9", idle: 1))
        var admitted = 0
        for second in 0..<400 {
            if bench.open("203.0.113.5", idle: Int64(second + 2)) != nil { admitted += 1 }
            bench.closeLeaving()
            #expect(bench.connections.number <= 1 + 32 + 2)
        }
        #expect(admitted == 400 && !bench.leaving.contains(other))
        #expect(bench.leaving == bench.leaving.sorted(), "those that are idle longest go first")
        #expect(bench.open("198.51.100.10") != nil && !bench.connections.isFull)
    }

    @Test func `115: what does not leave is not replaced without end`() throws {
        let bench = try Bench(all: 128)
        for second in 0..<400 { bench.open("203.0.113.5", idle: Int64(second + 1)) }
        #expect(bench.connections.number == 32 + 2, "two more than the share, and then refusals")
    }

    @Test func `an address of IPv6 shares with its 64 bits, an IPv4 address in it is one of IPv4`() throws {
        let bench = try Bench(all: 16)
        for number in 1...4 { #expect(bench.open("2001:db8:0:1::\(number)") != nil) }
        #expect(bench.open("2001:db8:0:1:ffff::9") == nil)
        #expect(bench.open("2001:db8:0:2::1") != nil)
        for text in ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1", "::ffff:192.0.2.1"] {
            #expect(bench.open(text) != nil)
        }
        #expect(bench.open("192.0.2.1") == nil)
    }

    @Test func `this machine and trusted proxies carry the connections of others`() throws {
        let bench = try Bench(all: 40, trusted: ["10.0.0.0/24"])
        for _ in 0..<12 {
            for text in ["127.0.0.1", "::1", "10.0.0.7"] { #expect(bench.open(text) != nil) }
        }
        #expect(bench.open(nil) != nil && bench.connections.counts.refused == 0)
        let loose = try Bench(all: 40)
        for _ in 0..<10 { loose.open("10.0.0.7") }
        #expect(loose.open("10.0.0.7") == nil, "a proxy that the operator did not name is a client")
    }

    @Test func `115: a full server closes those that are idle longest, whose ever they are, and then has room`() throws
    {
        let bench = try Bench(all: 32)
        for second in 0..<32 { bench.open("127.0.0.1", idle: second == 3 ? nil : Int64(second + 1)) }
        #expect(bench.connections.isFull)
        let calls = Atomic<Int>(0)
        bench.connections.makeRoom { calls.wrappingAdd(1, ordering: .relaxed) }
        #expect(bench.leaving == [0, 1] && calls.load(ordering: .relaxed) == 0)
        bench.connections.makeRoom { calls.wrappingAdd(1, ordering: .relaxed) }
        #expect(bench.leaving == [0, 1], "no others while these leave")
        bench.closeLeaving()
        #expect(calls.load(ordering: .relaxed) == 2 && !bench.connections.isFull)
        #expect(bench.connections.counts.displaced == 2)
        bench.connections.makeRoom { calls.wrappingAdd(1, ordering: .relaxed) }
        #expect(calls.load(ordering: .relaxed) == 3, "there is room")
    }

    @Test func `a connection at work is never asked to leave`() throws {
        let bench = try Bench(all: 8)
        for _ in 0..<8 { bench.open("127.0.0.1") }
        bench.connections.makeRoom {}
        bench.connections.acceptFailed()
        #expect(bench.leaving.isEmpty && bench.connections.counts.failures == 1)
    }
}

/// A list that closures add to.
private final class Numbers: Sendable {
    private let list = Mutex<[Int]>([])

    var all: [Int] { list.withLock { $0 } }

    func add(_ number: Int) { list.withLock { $0.append(number) } }
}
