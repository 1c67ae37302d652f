/// What the exposition says of a metric beside its numbers, and how its histogram is divided.
package struct MetricDescription: Sendable {
    /// The label under which it is recorded, such as `http.server.request.duration`.
    package let label: String
    /// One sentence.
    package let help: String
    /// Upper bounds of the histogram's buckets, ascending: seconds for timers, plain numbers for recorders.
    package let bounds: [Double]

    /// - Parameter bounds: those of OpenTelemetry's semantic conventions for durations, with smaller ones before them,
    ///   unless given.
    package init(_ label: String, _ help: String, bounds: [Double] = MetricDescription.durationBounds) {
        self.label = label
        self.help = help
        self.bounds = bounds
    }

    /// Most requests take less than a millisecond, so OpenTelemetry's advice, which begins at 5 ms, is not enough.
    package static let durationBounds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5,
        10,
    ]
}

/// A second look at a histogram: under an older name, with other label names and fewer buckets. Nothing is recorded
/// twice.
package struct MetricView: Sendable {
    /// The label of the metric that it shows.
    let label: String
    /// The name in the exposition.
    let name: String
    let help: String
    /// A part of the metric's own bounds.
    let bounds: [Double]
    /// The labels of the view from those of the metric. Series with the same labels are added up.
    let labels: @Sendable ([MetricLabel]) -> [MetricLabel]

    package init(
        of label: String, name: String, help: String, bounds: [Double],
        labels: @escaping @Sendable ([MetricLabel]) -> [MetricLabel]
    ) {
        self.label = label
        self.name = name
        self.help = help
        self.bounds = bounds
        self.labels = labels
    }
}
