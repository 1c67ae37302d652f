internal import Synchronization

/// What became of messages in this process, for the metrics.
public final class DeliveryCounters: Sendable {
    /// How often each outcome came about since the process began.
    public struct Values: Hashable, Sendable {
        /// Taken by a mail server, a gateway or the outbox.
        public var sent = 0
        /// Decoys.
        public var dropped = 0
        /// Tries that are followed by another.
        public var postponed = 0
        /// Given up.
        public var dead = 0
    }

    private let state = Mutex(Values())

    /// All at nought.
    public init() {}

    /// What was counted so far.
    public var values: Values { state.withLock { $0 } }

    func count(_ change: (inout Values) -> Void) {
        state.withLock { change(&$0) }
    }
}
