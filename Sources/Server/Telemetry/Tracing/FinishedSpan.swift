internal import Tracing

/// A span that is over, ready to be exported.
struct FinishedSpan: Sendable {
    let identity: TraceIdentity
    /// The parent's span; `nil` for a root.
    let parent: UInt64?
    var name: String
    let kind: SpanKind
    /// In nanoseconds since 1970.
    let startedAt: UInt64
    var endedAt: UInt64 = 0
    var attributes: SpanAttributes = [:]
    var events: [SpanEvent] = []
    var status: SpanStatus?

    /// Most attributes and events of a span; what is more is left out.
    static let partsMax = 64
}
