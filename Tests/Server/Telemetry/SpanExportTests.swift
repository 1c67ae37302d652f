import CoreMetrics
import KeyturnBase
import Synchronization
import Testing
import Tracing

@testable import Telemetry

/// A collector that gives the answers that it is told to give, and accepts after them.
private final class Collector: SpanTransport {
    private let state: Mutex<(answers: [SpanDelivery], bodies: [[UInt8]])>

    init(_ answers: [SpanDelivery] = []) {
        state = Mutex((answers, []))
    }

    var bodies: [JSONValue] {
        get throws { try state.withLock { $0.bodies }.map { try JSONValue(parsing: $0) } }
    }

    func send(_ body: [UInt8]) async -> SpanDelivery {
        state.withLock { state in
            state.bodies.append(body)
            return state.answers.isEmpty ? .accepted : state.answers.removeFirst()
        }
    }
}

private final class Pauses: Sendable {
    let all = Mutex<[Duration]>([])
}

@Suite("Traces: what is kept, and how it is sent")
struct SpanExportTests {
    private let registry = ServerMetrics.makeRegistry()
    private let pauses = Pauses()

    private func exporter(_ collector: Collector) -> SpanExporter {
        SpanExporter(
            resource: ["service.name": "test"], transport: collector, factory: registry,
            pause: { [pauses] pause in pauses.all.withLock { $0.append(pause) } })
    }

    private func count(_ line: String) -> Bool {
        ExpositionWriter.text(registry.families(), .prometheus).contains(line + "\n")
    }

    private func spans(_ body: JSONValue) -> [JSONValue] {
        body["resourceSpans"]?.arrayValue?.first?["scopeSpans"]?.arrayValue?.first?["spans"]?.arrayValue ?? []
    }

    private struct Header: Extractor {
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    @Test func `a caller's trace goes on, and its sampled flag decides`() throws {
        let tracer = SpanTracer(exporter(Collector()), sampleRatio: 0, ambient: .live)
        for (flags, isKept) in [("01", true), ("00", false)] {
            var context = InstrumentationContext.topLevel
            let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-\(flags)"
            tracer.extract(["traceparent": header], into: &context, using: Header())
            let span = tracer.startSpan("GET /x", context: context, ofKind: .server)
            let identity = try #require(span.context.traceIdentity)
            #expect(identity.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
            #expect(identity.spanID != "00f067aa0ba902b7")
            #expect(span.isRecording == isKept)
            span.end()
        }
    }

    @Test(arguments: [(0.0, 0...0), (1.0, 1_000...1_000), (0.25, 180...320)] as [(Double, ClosedRange<Int>)])
    func `of new traces the share is kept that was asked for`(_ ratio: Double, _ expected: ClosedRange<Int>) {
        let tracer = SpanTracer(exporter(Collector()), sampleRatio: ratio, ambient: .live)
        let kept = (0..<1_000).count { _ in tracer.startSpan("a", context: .topLevel).isRecording }
        #expect(expected.contains(kept))
    }

    @Test func `a span and its child are sent as OTLP's JSON`() async throws {
        let collector = Collector()
        let exporter = exporter(collector)
        let tracer = SpanTracer(exporter, sampleRatio: 1, ambient: .live)
        let parent = tracer.startSpan("GET /x", context: .topLevel, ofKind: .server)
        parent.attributes["http.response.status_code"] = 503
        parent.setStatus(SpanStatus(code: .error))
        let child = tracer.startSpan("store read", context: parent.context, ofKind: .client)
        child.end()
        parent.end()
        parent.end()
        await exporter.sendBatch(triesMax: 1)
        let body = try #require(try collector.bodies.first)
        let sent = spans(body)
        #expect(sent.map { $0["name"]?.stringValue } == ["store read", "GET /x"], "a span ends once")
        let identity = try #require(parent.context.traceIdentity)
        #expect(sent.allSatisfy { $0["traceId"]?.stringValue == identity.traceID })
        #expect(sent[0]["parentSpanId"]?.stringValue == identity.spanID)
        #expect(sent[1]["parentSpanId"] == nil)
        #expect(sent.map { $0["kind"]?.integerValue } == [3, 2])
        #expect(sent[1]["status"] == ["code": 2])
        #expect(
            sent[1]["attributes"] == [["key": "http.response.status_code", "value": ["intValue": "503"]]])
        let times = ["startTimeUnixNano", "endTimeUnixNano"].compactMap { name in
            sent[0][name]?.stringValue.flatMap(UInt64.init)
        }
        #expect(times.count == 2 && times[0] <= times[1])
        #expect(count("keyturn_trace_spans_exported_total 2"))
    }

    @Test func `a full queue drops spans and counts them`() async {
        let exporter = exporter(Collector())
        let tracer = SpanTracer(exporter, sampleRatio: 1, ambient: .live)
        for _ in 0..<SpanExporter.queueMax + 3 { tracer.startSpan("a", context: .topLevel).end() }
        #expect(count("keyturn_trace_spans_dropped_total{reason=\"queue_full\"} 3"))
        await exporter.sendBatch(triesMax: 1)
        #expect(count("keyturn_trace_spans_exported_total \(SpanExporter.batchMax)"))
    }

    @Test func `a busy collector is asked again after pauses that grow, or that it names`() async throws {
        let collector = Collector([.later(seconds: nil), .later(seconds: nil), .later(seconds: 7)])
        let exporter = exporter(collector)
        SpanTracer(exporter, sampleRatio: 1, ambient: .live).startSpan("a", context: .topLevel).end()
        await exporter.sendBatch(triesMax: 5)
        #expect(pauses.all.withLock { $0 } == [.seconds(1), .seconds(2), .seconds(7)])
        #expect(try collector.bodies.count == 4)
        #expect(count("keyturn_trace_spans_exported_total 1"))
    }

    @Test func `what a collector does not take is dropped and counted`() async throws {
        for answers in [[SpanDelivery.refused(status: 400)], Array(repeating: .later(seconds: nil), count: 3)] {
            let collector = Collector(answers)
            let exporter = exporter(collector)
            SpanTracer(exporter, sampleRatio: 1, ambient: .live).startSpan("a", context: .topLevel).end()
            await exporter.sendBatch(triesMax: 3)
            #expect(try collector.bodies.count == answers.count)
        }
        #expect(count("keyturn_trace_spans_dropped_total{reason=\"not_sent\"} 2"))
    }

    @Test func `what was not sent when the server is told to stop is sent once more`() async throws {
        let collector = Collector()
        let exporter = exporter(collector)
        SpanTracer(exporter, sampleRatio: 1, ambient: .live).startSpan("a", context: .topLevel).end()
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            await exporter.sendBatch(triesMax: 5)
            await exporter.run()
        }
        cancelled.cancel()
        await cancelled.value
        #expect(try collector.bodies.isEmpty)
        await exporter.flush()
        #expect(try collector.bodies.count == 1)
        #expect(count("keyturn_trace_spans_exported_total 1"))
    }

    @Test func `without a traced request there is no child span`() {
        #expect(ChildSpan.traceParent == nil)
        ChildSpan.begin("store read").end()
        #expect(CurrentTrace.sampled == nil)
    }
}
