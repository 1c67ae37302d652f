internal import CoreMetrics
internal import Synchronization

/// One series of a counter: one atomic addition for each count.
final class CounterSeries: CounterHandler {
    let labels: [MetricLabel]
    /// In seconds since 1970.
    let createdAt: Double
    private let count = Atomic<Int>(0)

    init(labels: [MetricLabel], createdAt: Double) {
        self.labels = labels
        self.createdAt = createdAt
    }

    var value: Int { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) { count.wrappingAdd(Int(amount), ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }
}

/// One series of a gauge.
final class GaugeSeries: MeterHandler, RecorderHandler {
    let labels: [MetricLabel]
    /// The bits of a double.
    private let bits = Atomic<UInt64>(0)

    init(labels: [MetricLabel]) {
        self.labels = labels
    }

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Int64) { set(Double(value)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func increment(by amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (isDone, found) = bits.compareExchange(expected: old, desired: new, ordering: .relaxed)
            if isDone { return }
            old = found
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    func record(_ value: Int64) { set(value) }

    func record(_ value: Double) { set(value) }
}
