package import CoreMetrics

/// What the rules of the server count, through swift-metrics.
public final class ServiceMetrics: Sendable {
    /// By method and outcome.
    package let signIns: CounterVector
    /// By outcome.
    package let refreshes: CounterVector
    /// By grant type and outcome.
    package let tokenRequests: CounterVector
    /// By the event's name.
    package let auditEvents: CounterVector

    /// Records to the factory that the process was bootstrapped with; without one, nothing is recorded.
    public convenience init() {
        self.init(factory: MetricsSystem.factory)
    }

    /// - Parameter factory: what keeps the numbers.
    package init(factory: any MetricsFactory) {
        signIns = CounterVector(ServerMetrics.signIns, by: "method", "outcome", factory: factory)
        refreshes = CounterVector(ServerMetrics.refreshes, by: "outcome", factory: factory)
        tokenRequests = CounterVector(ServerMetrics.tokenRequests, by: "grant_type", "outcome", factory: factory)
        auditEvents = CounterVector(ServerMetrics.auditEvents, by: "event", factory: factory)
    }
}

/// What a pool of hashing threads records.
public final class HashingMetrics: Sendable {
    private let duration: Timer
    private let wait: Timer
    private let refused: Counter

    /// Records to the factory that the process was bootstrapped with.
    ///
    /// - Parameter pool: the label that tells pools apart.
    public convenience init(pool: String) {
        self.init(pool: pool, factory: MetricsSystem.factory)
    }

    /// - Parameters:
    ///   - pool: the label that tells pools apart.
    ///   - factory: what keeps the numbers.
    package init(pool: String, factory: any MetricsFactory) {
        let dimensions = [("pool", pool)]
        duration = Timer(label: ServerMetrics.hashingDuration, dimensions: dimensions, factory: factory)
        wait = Timer(label: ServerMetrics.hashingWait, dimensions: dimensions, factory: factory)
        refused = Counter(label: ServerMetrics.hashingRefused, dimensions: dimensions, factory: factory)
    }

    /// Records a hash that is made.
    package func record(wait: Duration, hash: Duration) {
        self.wait.recordNanoseconds(wait.nanoseconds)
        duration.recordNanoseconds(hash.nanoseconds)
    }

    /// Counts a hash that is not made.
    package func refuse() { refused.increment() }
}

/// What the stores record of their database.
package final class StoreMetrics: Sendable {
    /// One kind of call.
    package struct Operation: Sendable {
        private let duration: Timer
        private let failures: Counter

        fileprivate init(_ name: String, _ factory: any MetricsFactory) {
            let dimensions = [("operation", name)]
            duration = Timer(label: ServerMetrics.storeDuration, dimensions: dimensions, factory: factory)
            failures = Counter(label: ServerMetrics.storeFailures, dimensions: dimensions, factory: factory)
        }

        /// Records a call that is over.
        ///
        /// - Parameters:
        ///   - begin: when it began.
        ///   - isFailure: whether the database did not answer.
        package func record(since begin: ContinuousClock.Instant, isFailure: Bool = false) {
            duration.recordNanoseconds((.now - begin).nanoseconds)
            if isFailure { failures.increment() }
        }
    }

    /// Reads.
    package let read: Operation
    /// Changes by one guarded statement.
    package let statement: Operation
    /// Transactions of several statements.
    package let transaction: Operation

    /// - Parameter factory: what keeps the numbers.
    package init(factory: any MetricsFactory = MetricsSystem.factory) {
        read = Operation("read", factory)
        statement = Operation("statement", factory)
        transaction = Operation("transaction", factory)
    }
}
