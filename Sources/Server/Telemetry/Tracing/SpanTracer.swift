package import KeyturnBase
package import Tracing

/// A tracer that keeps finished spans until ``SpanExporter`` sends them.
///
/// A request that comes with a well-formed `traceparent` (W3C Trace Context) belongs to the caller's trace, and its
/// sampled flag decides. Otherwise a share of the new traces is kept, chosen by the trace's identifier.
package final class SpanTracer: Tracer {
    private let queue: SpanQueue
    /// Traces whose second half is below it are kept; `nil`: all.
    private let threshold: UInt64?
    private let ambient: Ambient

    /// - Parameters:
    ///   - exporter: sends what is kept.
    ///   - sampleRatio: the share of new traces that is kept, from 0 to 1.
    ///   - ambient: where identifiers come from.
    package convenience init(_ exporter: SpanExporter, sampleRatio: Double, ambient: Ambient) {
        self.init(queue: exporter.queue, sampleRatio: sampleRatio, ambient: ambient)
    }

    init(queue: SpanQueue, sampleRatio: Double, ambient: Ambient) {
        precondition((0...1).contains(sampleRatio), "a share is 0...1")
        self.queue = queue
        self.ambient = ambient
        threshold = sampleRatio == 1 ? nil : UInt64(sampleRatio * 0x1p63) << 1
    }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> RecordedSpan {
        var context = context()
        let parent = context.traceIdentity
        let identity = identity(below: parent)
        context.traceIdentity = identity
        let span = FinishedSpan(
            identity: identity, parent: parent?.span, name: operationName, kind: kind,
            startedAt: instant().nanosecondsSinceEpoch)
        return RecordedSpan(span, context: context, queue: queue)
    }

    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: TraceParent.name, from: carrier) else { return }
        if let identity = TraceParent.read(text) { context.traceIdentity = identity }
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let identity = context.traceIdentity else { return }
        injector.inject(TraceParent.write(identity), forKey: TraceParent.name, into: &carrier)
    }

    private func identity(below parent: TraceIdentity?) -> TraceIdentity {
        guard let parent else {
            let (high, low) = (random(), random())
            let isKept = threshold.map { low < $0 } ?? true
            return TraceIdentity(traceHigh: high, traceLow: low, span: random(), isSampled: isKept)
        }
        return TraceIdentity(
            traceHigh: parent.traceHigh, traceLow: parent.traceLow, span: random(), isSampled: parent.isSampled)
    }

    /// Never 0, which means that there is none.
    private func random() -> UInt64 {
        let number = ambient.randomBytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return number == 0 ? 1 : number
    }
}
