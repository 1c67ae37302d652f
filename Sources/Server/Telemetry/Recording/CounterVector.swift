package import CoreMetrics
internal import Synchronization

/// Counters of one name, told apart by one or two labels whose values become known only as they occur.
///
/// Counting is a look-up under a lock. At most ``seriesMax`` counters are made; further values count as `other`, so that
/// no client can fill the memory with names.
package final class CounterVector: Sendable {
    private struct Values: Hashable, Sendable {
        let first: String
        let second: String
    }

    /// Most counters beside those of `other`.
    static let seriesMax = 500
    private static let other = "other"

    private let name: String
    private let labels: (first: String, second: String?)
    private let factory: any MetricsFactory
    private let counters = Mutex<[Values: Counter]>([:])

    /// - Parameters:
    ///   - label: the name that the factory gets.
    ///   - first: the name of the first label.
    ///   - second: the name of the second label; `nil`: there is none.
    package init(_ label: String, by first: String, _ second: String? = nil, factory: any MetricsFactory) {
        name = label
        labels = (first, second)
        self.factory = factory
    }

    /// - Parameters:
    ///   - first: the value of the first label.
    ///   - second: the value of the second one; without a meaning if there is none.
    package func increment(_ first: String, _ second: String = "") {
        counter(first, second).increment()
    }

    /// Makes the counter, so that it is exposed before it was ever counted.
    package func prepare(_ first: String, _ second: String = "") {
        _ = counter(first, second)
    }

    private func counter(_ first: String, _ second: String) -> Counter {
        counters.withLock { counters in
            var values = Values(first: first, second: second)
            if let known = counters[values] { return known }
            if counters.count >= Self.seriesMax {
                values = Values(first: Self.other, second: labels.second == nil ? "" : Self.other)
                if let known = counters[values] { return known }
            }
            var dimensions = [(labels.first, values.first)]
            if let name = labels.second { dimensions.append((name, values.second)) }
            let counter = Counter(label: name, dimensions: dimensions, factory: factory)
            counters[values] = counter
            return counter
        }
    }
}
