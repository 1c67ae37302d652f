package import CoreMetrics
internal import Synchronization

/// Keeps what is recorded through swift-metrics in memory, until it is read.
///
/// A handle is resolved once, which takes a lock; recording through it does not take that lock. A metric has at most
/// ``seriesMax`` series: what is recorded for more of them is lost, and the loss is counted.
package final class MetricRegistry: MetricsFactory {
    /// Most series of one metric. The server's own labels come from closed sets far below it.
    package static let seriesMax = 2_000

    enum Kind: Sendable {
        case counter, gauge
        /// Records nanoseconds.
        case timer
        /// Records plain numbers.
        case histogram
    }

    enum Series: Sendable {
        case counter(CounterSeries)
        case gauge(GaugeSeries)
        case histogram(HistogramSeries)
    }

    struct Metric: Sendable {
        let kind: Kind
        var series: [[MetricLabel]: Series] = [:]
    }

    private struct State: Sendable {
        var metrics: [String: Metric] = [:]
        var refused = 0
    }

    let descriptions: [String: MetricDescription]
    let views: [MetricView]
    private let now: @Sendable () -> Double
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptions: of the metrics that are known beforehand; others have no help text but their own name.
    ///   - now: seconds since 1970.
    package init(
        _ descriptions: [MetricDescription], views: [MetricView] = [], now: @escaping @Sendable () -> Double
    ) {
        self.descriptions = Dictionary(descriptions.map { ($0.label, $0) }) { first, _ in first }
        self.views = views
        self.now = now
    }

    /// All metrics at this moment, by their labels.
    func snapshot() -> (metrics: [String: Metric], refusedSeries: Int) {
        state.withLock { ($0.metrics, $0.refused) }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        let series = series(.counter, label, dimensions) { [now] in
            .counter(CounterSeries(labels: $0, createdAt: now()))
        }
        guard case .counter(let counter)? = series else { return NOOPMetricsHandler.instance }
        return counter
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard case .gauge(let gauge)? = gauge(label, dimensions) else { return NOOPMetricsHandler.instance }
        return gauge
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        let series =
            aggregate
            ? histogram(.histogram, label, dimensions, perUnit: 1) : gauge(label, dimensions)
        switch series {
        case .histogram(let histogram)?: return histogram
        case .gauge(let gauge)?: return gauge
        case .counter?, nil: return NOOPMetricsHandler.instance
        }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        guard case .histogram(let timer)? = histogram(.timer, label, dimensions, perUnit: 1e9) else {
            return NOOPMetricsHandler.instance
        }
        return timer
    }

    // A series stays: a counter that vanished and came back would look like a restart.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func gauge(_ label: String, _ dimensions: [(String, String)]) -> Series? {
        series(.gauge, label, dimensions) { .gauge(GaugeSeries(labels: $0)) }
    }

    private func histogram(_ kind: Kind, _ label: String, _ dimensions: [(String, String)], perUnit: Double) -> Series?
    {
        let bounds = (descriptions[label]?.bounds ?? MetricDescription.durationBounds).map { $0 * perUnit }
        return series(kind, label, dimensions) { [now] in
            .histogram(HistogramSeries(labels: $0, bounds: bounds, now: now))
        }
    }

    /// - Returns: `nil` if the metric is of another kind, or has too many series.
    private func series(
        _ kind: Kind, _ label: String, _ dimensions: [(String, String)], make: ([MetricLabel]) -> Series
    ) -> Series? {
        let labels = dimensions.map { MetricLabel($0.0, $0.1) }
        return state.withLock { state in
            var metric = state.metrics[label] ?? Metric(kind: kind)
            guard metric.kind == kind else { return nil }
            if let known = metric.series[labels] { return known }
            guard metric.series.count < Self.seriesMax else {
                state.refused += 1
                return nil
            }
            let series = make(labels)
            metric.series[labels] = series
            state.metrics[label] = metric
            return series
        }
    }
}
