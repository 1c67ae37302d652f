internal import CoreMetrics

/// What an exposition says of one metric.
package struct MetricFamily: Sendable {
    /// What the values mean (OpenMetrics 1.0, Metric Types).
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// A counter or a gauge.
    package struct Sample: Sendable {
        let labels: [MetricLabel]
        let value: Double
        /// When a counter began, in seconds since 1970.
        let createdAt: Double?

        package init(_ value: Double, labels: [MetricLabel] = [], createdAt: Double? = nil) {
            self.labels = labels
            self.value = value
            self.createdAt = createdAt
        }
    }

    /// One series of a histogram.
    struct Distribution: Sendable {
        let labels: [MetricLabel]
        /// Ascending, without the last one, which is infinite.
        let bounds: [Double]
        /// How many values are up to each bound; one more than there are bounds.
        var cumulative: [Int]
        var sum: Double
        /// As many as there are counts, or none.
        var exemplars: [Exemplar?]
        let createdAt: Double
    }

    /// Without the suffix of counters.
    package let name: String
    package let help: String
    package let kind: Kind
    var samples: [Sample] = []
    var distributions: [Distribution] = []

    /// A counter or a gauge.
    ///
    /// - Parameter name: a counter's may end with `_total`.
    package init(_ name: String, _ help: String, _ kind: Kind, samples: [Sample]) {
        self.init(name: name, help: help, kind: kind)
        self.samples = samples
    }

    init(name: String, help: String, kind: Kind) {
        self.name = kind == .counter && name.hasSuffix("_total") ? String(name.dropLast(6)) : name
        self.help = help
        self.kind = kind
    }

    /// The unit, which is the last word of the name.
    var unit: String? { ["seconds", "bytes"].first { name.hasSuffix("_" + $0) } }
}

extension MetricRegistry {
    /// Everything that was recorded, in the order of the names.
    package func families() -> [MetricFamily] {
        let (metrics, refused) = snapshot()
        var families = metrics.flatMap { label, metric in
            [family(label, metric)] + views.filter { $0.label == label }.map { view($0, of: metric) }
        }
        families.append(
            MetricFamily(
                "keyturn_metrics_series_refused_total", "Series that were not kept, because their metric has too many.",
                .counter, samples: [.init(Double(refused))]))
        return families.sorted { $0.name < $1.name }
    }

    private func family(_ label: String, _ metric: Metric) -> MetricFamily {
        let help = descriptions[label]?.help ?? "Recorded as \(label)."
        let name = MetricLabel.exposed(label)
        switch metric.kind {
        case .counter:
            return MetricFamily(name, help, .counter, samples: Self.ordered(metric).compactMap(Self.sample))
        case .gauge: return MetricFamily(name, help, .gauge, samples: Self.ordered(metric).compactMap(Self.sample))
        case .timer, .histogram:
            let isTimer = metric.kind == .timer
            var family = MetricFamily(
                name: isTimer && !name.hasSuffix("_seconds") ? name + "_seconds" : name, help: help, kind: .histogram)
            family.distributions = Self.ordered(metric).compactMap {
                Self.distribution($0, perUnit: isTimer ? 1e9 : 1)
            }
            return family
        }
    }

    private static func ordered(_ metric: Metric) -> [Series] {
        metric.series.map { (key: $0.key.map(\.value).joined(separator: "\u{0}"), value: $0.value) }
            .sorted { $0.key < $1.key }.map(\.value)
    }

    private static func sample(_ series: Series) -> MetricFamily.Sample? {
        switch series {
        case .counter(let counter):
            .init(Double(counter.value), labels: counter.labels, createdAt: counter.createdAt)
        case .gauge(let gauge): .init(gauge.value, labels: gauge.labels)
        case .histogram: nil
        }
    }

    private static func distribution(_ series: Series, perUnit: Double) -> MetricFamily.Distribution? {
        guard case .histogram(let histogram) = series else { return nil }
        let values = histogram.values
        var sum = 0
        let cumulative = values.buckets.map { count in
            sum += count
            return sum
        }
        let exemplars = values.exemplars.map { exemplar in
            exemplar.map { Exemplar(trace: $0.trace, value: $0.value / perUnit, at: $0.at) }
        }
        return MetricFamily.Distribution(
            labels: histogram.labels, bounds: histogram.bounds.map { $0 / perUnit }, cumulative: cumulative,
            sum: values.sum / perUnit, exemplars: exemplars, createdAt: histogram.createdAt)
    }

    private func view(_ view: MetricView, of metric: Metric) -> MetricFamily {
        var family = MetricFamily(name: view.name, help: view.help, kind: .histogram)
        var places: [[MetricLabel]: Int] = [:]
        for series in Self.ordered(metric) {
            guard let whole = Self.distribution(series, perUnit: 1e9) else { continue }
            let part = whole.reduced(to: view.bounds, labels: view.labels(whole.labels))
            if let place = places[part.labels] {
                family.distributions[place].add(part)
            } else {
                places[part.labels] = family.distributions.count
                family.distributions.append(part)
            }
        }
        return family
    }
}

extension MetricFamily.Distribution {
    /// With fewer buckets, other labels and no exemplars.
    fileprivate func reduced(to kept: [Double], labels: [MetricLabel]) -> Self {
        // Bounds were multiplied and divided, so they are compared with some room.
        let counts = kept.map { bound in
            bounds.lastIndex { $0 <= bound * (1 + 1e-9) }.map { cumulative[$0] } ?? 0
        }
        return Self(
            labels: labels, bounds: kept, cumulative: counts + [cumulative.last ?? 0], sum: sum, exemplars: [],
            createdAt: createdAt)
    }

    fileprivate mutating func add(_ other: Self) {
        cumulative = zip(cumulative, other.cumulative).map(+)
        sum += other.sum
    }
}
