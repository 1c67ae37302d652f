internal import KeyturnBase
public import Model
internal import Synchronization

/// Whether a server should get requests. A balancer asks often, so this rarely asks the database.
///
/// All servers of a database lose it together: if each said so at once, a failover of seconds would leave the balancer
/// without servers, and refreshes that only had to wait would be refused.
public final class Readiness: Sendable {
    /// What a server answers.
    public enum State: Hashable, Sendable {
        case ready
        /// It was told to stop, and finishes what arrives meanwhile.
        case stopping
        case noDatabase
        case noSigningKey
        /// By so many seconds this machine's clock is ahead of the database's; negative: behind.
        case wrongClock(Int64)
    }

    private struct Record: Sendable {
        var isStopping = false
        /// By the clock that is never set.
        var answeredAt: Int64
        var clockDifference: Int64?
        var isClockWrong = false
    }

    private let record: Mutex<Record>
    private let store: any MaintenanceStore
    private let isShared: Bool
    private let keys: KeyRing
    private let ambient: Ambient
    private let start: Moment

    /// - Parameter isShared: whether other servers lose the database at the same moment.
    init(_ store: any MaintenanceStore, isShared: Bool, keys: KeyRing, ambient: Ambient) {
        self.store = store
        self.isShared = isShared
        self.keys = keys
        self.ambient = ambient
        start = ambient.moment()
        record = Mutex(Record(answeredAt: start.uptime))
    }

    /// From now on the server is not ready: it is about to stop.
    public func stop() {
        record.withLock { $0.isStopping = true }
    }

    /// Whether the server is about to stop.
    public var isStopping: Bool { record.withLock { $0.isStopping } }

    /// What a balancer is told.
    public func state() async -> State {
        let record = record.withLock { $0 }
        if record.isStopping { return .stopping }
        if record.isClockWrong, let difference = record.clockDifference { return .wrongClock(difference) }
        guard await hasDatabase(record) else { return .noDatabase }
        return keys.publicKeys(at: ambient.now()).isEmpty ? .noSigningKey : .ready
    }

    private func hasDatabase(_ record: Record) async -> Bool {
        if isShared, ambient.uptime() - record.answeredAt < Limits.databaseAwaySeconds { return true }
        do {
            try await store.ping()
            noteAnswer()
            return true
        } catch {
            return false
        }
    }

    /// The database answered just now.
    func noteAnswer() {
        let now = ambient.uptime()
        record.withLock { $0.answeredAt = now }
    }

    /// By how many seconds this machine's clock is ahead of the database's, when that was last looked at.
    public var clockDifference: Int64? { record.withLock { $0.clockDifference } }

    /// Whether this machine's clock is wrong, as far as that was looked at. Nothing may be removed by it.
    public var hasWrongClock: Bool { record.withLock { $0.isClockWrong } }

    /// Compares this machine's clock with the database's.
    ///
    /// A server whose clock is wrong is not ready: its tokens would begin in the future, or end early. If only the
    /// database's clock was set, all servers see the difference, and go on.
    ///
    /// - Returns: seconds by which this machine is ahead; `nil` if both are one machine.
    /// - Throws: ``StoreError``.
    @discardableResult
    public func compareClocks() async throws(StoreError) -> Int64? {
        let before = ambient.now()
        guard let theirs = try await store.clock() else { return nil }
        let after = ambient.now()
        // The answer was given at some moment between the two.
        let difference =
            theirs < before ? before.seconds(since: theirs) : theirs > after ? -theirs.seconds(since: after) : 0
        let wasSet = abs((after.seconds(since: start.wall)) - (ambient.uptime() - start.uptime))
        record.withLock { record in
            let isFar = abs(difference) > Limits.clockDifferenceMax
            let isOurs = record.isClockWrong || record.clockDifference == nil || wasSet > Limits.clockDifferenceMax / 2
            record.isClockWrong = isFar && isOurs
            record.clockDifference = difference
        }
        return difference
    }
}
