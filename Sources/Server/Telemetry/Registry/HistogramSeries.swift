internal import CoreMetrics
internal import Synchronization

/// One series of a histogram. Recording takes one uncontended lock, and allocates nothing but the room for the first
/// exemplar.
final class HistogramSeries: TimerHandler, RecorderHandler {
    /// What was recorded until one moment.
    struct Values: Sendable {
        var count = 0
        /// Nanoseconds for timers.
        var sum = 0.0
        /// How many values each bound admits that the one before does not; the last is for those above all bounds.
        var buckets: [Int]
        /// The newest traced value of each bucket; empty until there is one.
        var exemplars: [Exemplar?] = []
    }

    let labels: [MetricLabel]
    /// In seconds since 1970.
    let createdAt: Double
    /// In the unit that is recorded: nanoseconds for timers.
    let bounds: [Double]
    private let now: @Sendable () -> Double
    private let state: Mutex<Values>

    init(labels: [MetricLabel], bounds: [Double], now: @escaping @Sendable () -> Double) {
        self.labels = labels
        self.bounds = bounds
        self.now = now
        createdAt = now()
        state = Mutex(Values(buckets: Array(repeating: 0, count: bounds.count + 1)))
    }

    var values: Values { state.withLock { $0 } }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        let trace = CurrentTrace.sampled
        state.withLock { state in
            state.count += 1
            state.sum += value
            state.buckets[index] += 1
            guard let trace else { return }
            if state.exemplars.isEmpty { state.exemplars = Array(repeating: nil, count: bounds.count + 1) }
            state.exemplars[index] = Exemplar(trace: trace, value: value, at: now())
        }
    }
}

/// A recorded value and the trace that it belongs to (OpenMetrics 1.0, Exemplars).
struct Exemplar: Sendable {
    let trace: TraceIdentity
    /// In the unit of the histogram.
    var value: Double
    /// In seconds since 1970.
    let at: Double
}
