import CoreMetrics
import Instrumentation
import Testing

@testable import Telemetry

@Suite("The backend of swift-metrics")
struct MetricRegistryTests {
    private static func registry(_ descriptions: [MetricDescription] = [], views: [MetricView] = []) -> MetricRegistry {
        MetricRegistry(descriptions, views: views, now: { 1_000.5 })
    }

    private func text(_ registry: MetricRegistry, _ format: ExpositionFormat = .prometheus) -> String {
        ExpositionWriter.text(registry.families(), format)
    }

    @Test func `two handles of one label set count together`() {
        let registry = Self.registry([MetricDescription("app.things", "Things.")])
        Counter(label: "app.things", dimensions: [("kind.of", "a")], factory: registry).increment(by: 2)
        Counter(label: "app.things", dimensions: [("kind.of", "a")], factory: registry).increment()
        Counter(label: "app.things", dimensions: [("kind.of", "b")], factory: registry).increment()
        #expect(
            text(registry).hasPrefix(
                """
                # HELP app_things_total Things.
                # TYPE app_things_total counter
                app_things_total{kind_of="a"} 3
                app_things_total{kind_of="b"} 1

                """))
    }

    @Test func `a timer is a histogram in seconds with buckets that add up`() {
        let registry = Self.registry([MetricDescription("app.wait", "Waits.", bounds: [0.001, 0.1])])
        let timer = Timer(label: "app.wait", factory: registry)
        timer.recordNanoseconds(1_000_000)
        timer.recordNanoseconds(1_000_001)
        timer.recordNanoseconds(2_000_000_000)
        #expect(
            text(registry).hasPrefix(
                """
                # HELP app_wait_seconds Waits.
                # TYPE app_wait_seconds histogram
                app_wait_seconds_bucket{le="0.001"} 1
                app_wait_seconds_bucket{le="0.1"} 2
                app_wait_seconds_bucket{le="+Inf"} 3
                app_wait_seconds_sum 2.002000001
                app_wait_seconds_count 3

                """))
    }

    @Test func `OpenMetrics has the unit, the time of creation and an end`() {
        let registry = Self.registry([MetricDescription("app.wait", "Waits \"long\".", bounds: [0.1])])
        Timer(label: "app.wait", factory: registry).recordNanoseconds(1)
        let expected = """
            # HELP app_wait_seconds Waits \\"long\\".
            # TYPE app_wait_seconds histogram
            # UNIT app_wait_seconds seconds
            app_wait_seconds_bucket{le="0.1"} 1
            app_wait_seconds_bucket{le="+Inf"} 1
            app_wait_seconds_sum 1e-09
            app_wait_seconds_count 1
            app_wait_seconds_created 1000.5
            # HELP keyturn_metrics_series_refused Series
            """
        #expect(text(registry, .openMetrics).hasPrefix(expected))
        #expect(text(registry, .openMetrics).hasSuffix("keyturn_metrics_series_refused_total 0\n# EOF\n"))
    }

    @Test func `a traced value is the exemplar of its bucket, and one that is not sampled is none`() {
        let registry = Self.registry([MetricDescription("app.wait", "Waits.", bounds: [0.1])])
        let timer = Timer(label: "app.wait", factory: registry)
        func record(_ nanoseconds: Int64, isSampled: Bool) {
            var context = InstrumentationContext.topLevel
            context.traceIdentity = TraceIdentity(traceHigh: 1, traceLow: 2, span: 3, isSampled: isSampled)
            InstrumentationContext.withValue(context) { timer.recordNanoseconds(nanoseconds) }
        }
        record(50_000_000, isSampled: true)
        record(500_000_000, isSampled: false)
        let lines = text(registry, .openMetrics).split(separator: "\n")
        let exemplar = "{trace_id=\"00000000000000010000000000000002\",span_id=\"0000000000000003\"} 0.05 1000.5"
        #expect(lines.contains("app_wait_seconds_bucket{le=\"0.1\"} 1 # \(exemplar)"))
        #expect(lines.contains("app_wait_seconds_bucket{le=\"+Inf\"} 2"))
        #expect(!text(registry).contains("trace_id"), "the older format has no exemplars")
    }

    @Test func `series beyond the most that a metric may have are refused and counted`() {
        let registry = Self.registry()
        for number in 0...MetricRegistry.seriesMax {
            Counter(label: "flood", dimensions: [("n", String(number))], factory: registry).increment()
        }
        let lines = text(registry).split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("flood_total{") } == MetricRegistry.seriesMax)
        #expect(lines.contains("keyturn_metrics_series_refused_total 1"))
    }

    @Test func `a view adds up the series that look alike through it`() {
        let view = MetricView(of: "app.wait", name: "old_wait_seconds", help: "Waits.", bounds: [0.1]) { labels in
            labels.filter { $0.name == "kept" }
        }
        let registry = Self.registry([MetricDescription("app.wait", "Waits.", bounds: [0.05, 0.1, 1])], views: [view])
        for (other, seconds) in [("a", 0.01), ("b", 0.07), ("b", 0.5)] {
            Timer(label: "app.wait", dimensions: [("kept", "x"), ("other", other)], factory: registry)
                .recordSeconds(seconds)
        }
        let lines = text(registry).split(separator: "\n")
        #expect(lines.contains("old_wait_seconds_bucket{kept=\"x\",le=\"0.1\"} 2"))
        #expect(lines.contains("old_wait_seconds_bucket{kept=\"x\",le=\"+Inf\"} 3"))
        #expect(lines.contains("old_wait_seconds_count{kept=\"x\"} 3"))
        #expect(lines.contains("app_wait_seconds_bucket{kept=\"x\",other=\"b\",le=\"0.1\"} 1"))
    }

    @Test func `label values are escaped`() {
        let registry = Self.registry()
        Gauge(label: "g", dimensions: [("l", "a\"b\\c\nd")], factory: registry).record(1.5)
        #expect(text(registry).contains("g{l=\"a\\\"b\\\\c\\nd\"} 1.5\n"))
    }

    @Test func `values beyond the most of a vector count as others`() {
        let registry = Self.registry()
        let vector = CounterVector("app.names", by: "name", "outcome", factory: registry)
        for number in 0..<CounterVector.seriesMax + 2 { vector.increment("n\(number)", "seen") }
        vector.increment("n0", "seen")
        let lines = text(registry).split(separator: "\n")
        #expect(lines.contains("app_names_total{name=\"n0\",outcome=\"seen\"} 2"))
        #expect(lines.contains("app_names_total{name=\"other\",outcome=\"other\"} 2"))
    }
}
