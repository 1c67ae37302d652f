internal import KeyturnBase
internal import Model

/// Finds new events. Servers that share a database may commit an event after one with a higher number, so the events of
/// the last seconds are read again each time, and those that were seen are left out.
struct AuditFollower {
    /// Longer than a server waits for a commit. In seconds.
    static let secondsOfDoubt: Int64 = 15
    /// Events before the first one that may be on their way when following begins.
    private static let numbersOfDoubt: Int64 = 1_000

    /// Behind this number an event may still appear.
    private(set) var after: Int64
    /// The numbers behind ``after`` that were seen, with when.
    private var seen: [Int64: UnixTime] = [:]

    /// - Parameter last: the newest event's number when following begins.
    init(last: Int64) {
        after = max(0, last - Self.numbersOfDoubt)
    }

    /// Those of `records` that are new. In the order in which they were given.
    mutating func new(_ records: [AuditRecord], at now: UnixTime) -> [AuditRecord] {
        let new = records.filter { seen[$0.number] == nil && $0.number > after }
        for record in new { seen[record.number] = now }
        return new
    }

    /// Lets go of what was seen so long ago that nothing can appear before it.
    mutating func advance(at now: UnixTime) {
        let settled = seen.filter { $0.value <= now - Self.secondsOfDoubt }.map(\.key).max()
        guard let settled else { return }
        after = settled
        seen = seen.filter { $0.key > settled }
    }
}
