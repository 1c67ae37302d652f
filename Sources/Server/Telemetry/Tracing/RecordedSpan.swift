internal import Synchronization
package import Tracing

/// A span of ``SpanTracer``. One that is not sampled records nothing and only carries its identity on.
package final class RecordedSpan: Span {
    package let context: InstrumentationContext
    /// `nil` once it is over, and if it is not sampled.
    private let state: Mutex<FinishedSpan?>
    private let queue: SpanQueue

    init(_ span: FinishedSpan, context: InstrumentationContext, queue: SpanQueue) {
        self.context = context
        self.queue = queue
        state = Mutex(span.identity.isSampled ? span : nil)
    }

    package var operationName: String {
        get { state.withLock { $0?.name ?? "" } }
        set { state.withLock { $0?.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { state.withLock { $0?.attributes ?? [:] } }
        set { state.withLock { if newValue.count <= FinishedSpan.partsMax { $0?.attributes = newValue } } }
    }

    package var isRecording: Bool { state.withLock { $0 != nil } }

    package func setStatus(_ status: SpanStatus) { state.withLock { $0?.status = status } }

    package func addEvent(_ event: SpanEvent) {
        state.withLock { span in
            guard let count = span?.events.count, count < FinishedSpan.partsMax else { return }
            span?.events.append(event)
        }
    }

    /// Notes the type of the error alone: its text may hold what no trace should.
    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    /// This server links no spans.
    package func addLink(_ link: SpanLink) {}

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        let finished = state.withLock { span in
            defer { span = nil }
            return span
        }
        guard var finished else { return }
        finished.endedAt = max(finished.startedAt, instant().nanosecondsSinceEpoch)
        queue.add(finished)
    }
}
