internal import Synchronization

/// What a server did in each minute of the last day, from what its registry counts.
///
/// Nothing runs beside the requests: the first request of a minute closes the minute before it. A server without requests
/// does nothing that would be missed.
package final class ActivityHistory: Sendable {
    /// How many minutes are kept.
    package static let minutesMax = 24 * 60

    private struct State: Sendable {
        var last = ActivityTotals()
        var minutes: [ActivityMinute] = []
    }

    private let registry: MetricRegistry
    private let start: ContinuousClock.Instant
    /// The number of the minute that is not closed yet, from the start.
    private let open = Atomic<Int>(0)
    private let state = Mutex(State())

    /// - Parameter start: when the server began.
    package init(_ registry: MetricRegistry, start: ContinuousClock.Instant = .now) {
        self.registry = registry
        self.start = start
    }

    /// A request begins at this moment. One comparison, unless a minute is over.
    package func pass(_ now: ContinuousClock.Instant) {
        let minute = number(now)
        let open = open.load(ordering: .relaxed)
        guard minute != open else { return }
        // One of the requests of a minute closes the one before.
        guard self.open.compareExchange(expected: open, desired: minute, ordering: .relaxed).exchanged else { return }
        let totals = ActivityTotals(registry)
        state.withLock { state in
            state.minutes.append(ActivityMinute(number: open, totals.since(state.last)))
            state.last = totals
            let first = minute - Self.minutesMax
            state.minutes.removeAll { $0.number < first }
        }
    }

    /// The minutes that something happened in, the oldest first, with the present one; `now` is its number.
    package func minutes(at now: ContinuousClock.Instant = .now) -> (minutes: [ActivityMinute], now: Int) {
        pass(now)
        let totals = ActivityTotals(registry)
        let minute = number(now)
        return state.withLock { state in
            (state.minutes + [ActivityMinute(number: minute, totals.since(state.last))], minute)
        }
    }

    private func number(_ now: ContinuousClock.Instant) -> Int {
        Int(max(0, (now - start).components.seconds) / 60)
    }
}

/// What happened in a minute.
package struct ActivityMinute: Sendable {
    /// From the start of the server.
    package let number: Int
    package let totals: ActivityTotals

    package init(number: Int, _ totals: ActivityTotals) {
        self.number = number
        self.totals = totals
    }
}

/// Sums over the series of a registry.
package struct ActivityTotals: Hashable, Sendable {
    package var signIns = 0
    /// Sign-ins that failed, or were refused since there were too many.
    package var signInFailures = 0
    package var refreshes = 0
    /// Sessions that a copied refresh token ended.
    package var replays = 0
    package var requests = 0
    /// Answers with a status from 500 on.
    package var errors = 0
    /// How many answers took no longer than each of ``MetricDescription/durationBounds``, and longer than the one before;
    /// the last counts those that took longer than all.
    package var latencies: [Int] = []

    package init() {}

    /// Outcomes of refreshes that gave a token.
    private static let granted: Set = ["renewed", "repeated", "late", "ahead"]

    init(_ registry: MetricRegistry) {
        let metrics = registry.snapshot().metrics
        func sum(_ label: String, where isMeant: ([MetricLabel]) -> Bool) -> Int {
            (metrics[label]?.series.values ?? [:].values).reduce(0) { total, series in
                guard case .counter(let counter) = series, isMeant(counter.labels) else { return total }
                return total + counter.value
            }
        }
        func value(_ name: String, _ labels: [MetricLabel]) -> String? { labels.first { $0.name == name }?.value }
        signIns = sum(ServerMetrics.signIns) { value("outcome", $0) == "succeeded" }
        signInFailures = sum(ServerMetrics.signIns) { value("outcome", $0) != "succeeded" }
        refreshes = sum(ServerMetrics.refreshes) { Self.granted.contains(value("outcome", $0) ?? "") }
        replays = sum(ServerMetrics.refreshes) { value("outcome", $0) == "replayed" }
        for case .histogram(let histogram) in metrics[ServerMetrics.requestDuration]?.series.values ?? [:].values {
            let values = histogram.values
            requests += values.count
            if (value("http_response_status_code", histogram.labels) ?? "") >= "500" { errors += values.count }
            latencies = Self.sum(latencies, values.buckets)
        }
    }

    /// What came since an earlier reading.
    func since(_ earlier: ActivityTotals) -> ActivityTotals {
        var difference = self
        difference.signIns -= earlier.signIns
        difference.signInFailures -= earlier.signInFailures
        difference.refreshes -= earlier.refreshes
        difference.replays -= earlier.replays
        difference.requests -= earlier.requests
        difference.errors -= earlier.errors
        difference.latencies = Self.sum(latencies, earlier.latencies.map { -$0 })
        return difference
    }

    package static func + (one: Self, other: Self) -> Self {
        var sum = one
        sum.signIns += other.signIns
        sum.signInFailures += other.signInFailures
        sum.refreshes += other.refreshes
        sum.replays += other.replays
        sum.requests += other.requests
        sum.errors += other.errors
        sum.latencies = Self.sum(one.latencies, other.latencies)
        return sum
    }

    /// The time within which a share of the answers came, in seconds, between the bounds of its bucket; `nil` without
    /// requests. At most the largest bound.
    package func latency(_ share: Double) -> Double? {
        let count = latencies.reduce(0, +)
        guard count > 0 else { return nil }
        let rank = share * Double(count)
        var (seen, lower) = (0.0, 0.0)
        for (bound, number) in zip(MetricDescription.durationBounds, latencies) {
            let next = seen + Double(number)
            if next >= rank, number > 0 { return lower + (bound - lower) * (rank - seen) / Double(number) }
            (seen, lower) = (next, bound)
        }
        return lower
    }

    private static func sum(_ one: [Int], _ other: [Int]) -> [Int] {
        guard !one.isEmpty, !other.isEmpty else { return one.isEmpty ? other : one }
        return zip(one, other).map(+)
    }
}
