import KeyturnBase
import Model
import Testing

@testable import keyturn

@Suite("New events of the audit log")
struct AuditFollowerTests {
    private let now = UnixTime(rawValue: 1_000)

    private func records(_ numbers: ClosedRange<Int64>, without missing: Int64...) -> [AuditRecord] {
        numbers.filter { !missing.contains($0) }.map { number in
            AuditRecord(number: number, event: AuditEvent(.signedIn, at: now), loginIDs: [], tenants: [])
        }
    }

    @Test func `an event that is committed after its followers is found, and each one once`() {
        var follower = AuditFollower(last: 5_000)
        #expect(follower.new(records(4_001...5_000), at: now).count == 1_000)
        follower.advance(at: now)
        #expect(follower.after == 4_000)
        #expect(follower.new(records(4_001...5_003, without: 5_001), at: now + 1).map(\.number) == [5_002, 5_003])
        follower.advance(at: now + 1)
        #expect(follower.new(records(4_001...5_003), at: now + 2).map(\.number) == [5_001])
        #expect(follower.new(records(4_001...5_003), at: now + 3).isEmpty)
    }

    @Test func `what was seen long ago is not read again`() {
        var follower = AuditFollower(last: 0)
        _ = follower.new(records(1...3), at: now)
        _ = follower.new(records(4...4), at: now + 5)
        follower.advance(at: now + AuditFollower.secondsOfDoubt - 1)
        #expect(follower.after == 0)
        follower.advance(at: now + AuditFollower.secondsOfDoubt)
        #expect(follower.after == 3)
        #expect(follower.new(records(4...5), at: now + 20).map(\.number) == [5])
        follower.advance(at: now + 100)
        #expect(follower.after == 5)
    }
}
