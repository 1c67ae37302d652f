internal import Synchronization

/// What became of the events of each stream in this process, for the metrics.
public final class AuditStreamCounters: Sendable {
    /// Of one stream.
    public struct Values: Hashable, Sendable {
        /// Events that the program took.
        public var sent = 0
        /// Attempts that failed; each is followed by another.
        public var failures = 0
        /// Events behind the last one that was sent, when this node last looked.
        public var waiting: Int64 = 0
    }

    private let state: Mutex<[String: Values]>

    init(_ names: [String]) {
        state = Mutex(Dictionary(names.map { ($0, Values()) }) { first, _ in first })
    }

    /// By the names of the streams.
    public var values: [String: Values] { state.withLock { $0 } }

    func set(_ name: String, _ change: (inout Values) -> Void) {
        state.withLock { change(&$0[name, default: Values()]) }
    }
}
