import Dispatch
import KeyturnBase
import Synchronization
import Testing

@testable import Delivery

@Suite("Looking up host names")
struct AddressLookupTests {
    private static func host(_ name: String) throws -> URIHost {
        try #require(URIParts("https://\(name)/")?.host)
    }

    @Test func `F-27: a name whose server hangs is given up, and keeps no other name waiting`() async throws {
        let isHanging = DispatchSemaphore(value: 0)
        let calls = Mutex<[String: Int]>([:])
        let lookup = AddressLookup(hostsMax: 2, patience: .seconds(2)) { host in
            calls.withLock { $0[host.text, default: 0] += 1 }
            if host.text == "slow.example" { isHanging.wait() }
            return ["192.0.2.1"]
        }
        let (slow, fast) = (try Self.host("slow.example"), try Self.host("fast.example"))
        #expect(await lookup.addresses(of: slow).isEmpty)
        #expect(await lookup.addresses(of: slow).isEmpty)
        #expect(await lookup.addresses(of: fast) == ["192.0.2.1"])
        #expect(calls.withLock { $0 } == ["slow.example": 1, "fast.example": 1])
        isHanging.signal()
    }

    @Test func `All who want a name at once wait for one look-up`() async throws {
        let mayAnswer = DispatchSemaphore(value: 0)
        let calls = Mutex(0)
        let lookup = AddressLookup(hostsMax: 1, patience: .seconds(60)) { _ in
            calls.withLock { $0 += 1 }
            mayAnswer.wait()
            return ["192.0.2.7"]
        }
        let (host, other) = (try Self.host("one.example"), try Self.host("two.example"))
        let first = Task { await lookup.addresses(of: host) }
        while calls.withLock({ $0 }) == 0 { await Task.yield() }
        #expect(await lookup.addresses(of: other).isEmpty, "one name at a time is allowed")
        let second = Task { await lookup.addresses(of: host) }
        while lookup.waiting(for: host) < 2 { await Task.yield() }
        mayAnswer.signal()
        #expect(await first.value == ["192.0.2.7"])
        #expect(await second.value == ["192.0.2.7"])
        #expect(calls.withLock { $0 } == 1)
    }

    @Test func `An address is its own answer`() async throws {
        let lookup = AddressLookup(hostsMax: 1, patience: .seconds(60)) { _ in [] }
        #expect(await lookup.addresses(of: try Self.host("192.0.2.9")) == ["192.0.2.9"])
    }
}
