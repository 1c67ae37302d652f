/// Writes metrics in one of the formats.
package struct ExpositionWriter: Sendable {
    private let format: ExpositionFormat
    private var text = ""

    /// - Parameter families: each name once.
    package static func text(_ families: [MetricFamily], _ format: ExpositionFormat) -> String {
        var writer = ExpositionWriter(format: format)
        for family in families { writer.write(family) }
        if format == .openMetrics { writer.text += "# EOF\n" }
        return writer.text
    }

    private init(format: ExpositionFormat) {
        self.format = format
    }

    private mutating func write(_ family: MetricFamily) {
        guard !family.samples.isEmpty || !family.distributions.isEmpty else { return }
        let isCounter = family.kind == .counter
        let described = isCounter && format == .prometheus ? family.name + "_total" : family.name
        text += "# HELP \(described) \(Self.escaped(family.help, quotes: format == .openMetrics))\n"
        text += "# TYPE \(described) \(family.kind.rawValue)\n"
        if format == .openMetrics, let unit = family.unit { text += "# UNIT \(described) \(unit)\n" }
        for sample in family.samples {
            line(isCounter ? family.name + "_total" : family.name, sample.labels, Self.number(sample.value))
            if isCounter { created(family.name, sample.labels, sample.createdAt) }
        }
        for distribution in family.distributions { write(distribution, family.name) }
    }

    private mutating func write(_ distribution: MetricFamily.Distribution, _ name: String) {
        for (index, count) in distribution.cumulative.enumerated() {
            let bound = index < distribution.bounds.count ? Self.bound(distribution.bounds[index]) : "+Inf"
            line(
                name + "_bucket", distribution.labels + [MetricLabel("le", bound)], String(count),
                exemplar: distribution.exemplars.isEmpty ? nil : distribution.exemplars[index])
        }
        line(name + "_sum", distribution.labels, "\(distribution.sum)")
        line(name + "_count", distribution.labels, String(distribution.cumulative.last ?? 0))
        created(name, distribution.labels, distribution.createdAt)
    }

    private mutating func created(_ name: String, _ labels: [MetricLabel], _ at: Double?) {
        guard format == .openMetrics, let at else { return }
        line(name + "_created", labels, Self.timestamp(at))
    }

    private mutating func line(
        _ name: String, _ labels: [MetricLabel], _ value: String, exemplar: Exemplar? = nil
    ) {
        text += name
        // An empty label is the same as none.
        let told = labels.filter { !$0.value.isEmpty }
        if !told.isEmpty {
            text += "{"
            for (index, label) in told.enumerated() {
                if index > 0 { text += "," }
                text += "\(label.name)=\"\(Self.escaped(label.value, quotes: true))\""
            }
            text += "}"
        }
        text += " \(value)"
        if format == .openMetrics, let exemplar {
            text += " # {trace_id=\"\(exemplar.trace.traceID)\",span_id=\"\(exemplar.trace.spanID)\"}"
            text += " \(exemplar.value) \(Self.timestamp(exemplar.at))"
        }
        text += "\n"
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        guard text.utf8.contains(where: { $0 == 0x5C || $0 == 0x0A || $0 == 0x22 }) else { return text }
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }

    /// Whole numbers without a point.
    private static func number(_ value: Double) -> String {
        Int(exactly: value).map(String.init) ?? "\(value)"
    }

    /// The nearest millionth: bounds were multiplied and divided.
    private static func bound(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }

    /// To the millisecond.
    private static func timestamp(_ value: Double) -> String { "\((value * 1e3).rounded() / 1e3)" }
}
