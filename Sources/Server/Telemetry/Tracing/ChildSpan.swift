internal import Tracing

/// A part of a traced request: a call to the database, a hash, a request to a provider.
///
/// Costs one look at a task-local value where no request is traced.
package struct ChildSpan: Sendable {
    private let span: (any Span)?

    /// - Parameters:
    ///   - name: few kinds.
    ///   - isRemote: whether another program does it.
    /// - Returns: a span of the running request's trace; without one, a value that does nothing.
    package static func begin(_ name: String, isRemote: Bool = false) -> ChildSpan {
        guard let context = InstrumentationContext.current, context.traceIdentity?.isSampled != false else {
            return ChildSpan(span: nil)
        }
        let kind: SpanKind = isRemote ? .client : .internal
        return ChildSpan(span: InstrumentationSystem.tracer.startAnySpan(name, context: context, ofKind: kind))
    }

    /// Sets an attribute.
    package func set(_ name: String, _ value: String) {
        span?.updateAttributes { $0[name] = value }
    }

    /// Sets an attribute.
    package func set(_ name: String, _ value: Int) {
        span?.updateAttributes { $0[name] = value }
    }

    /// - Parameter failure: a word of few kinds; `nil`: it worked.
    package func end(failure: String? = nil) {
        guard let span else { return }
        if let failure {
            span.updateAttributes { $0["error.type"] = failure }
            span.setStatus(SpanStatus(code: .error))
        }
        span.end()
    }

    /// The header by which another program goes on with the trace (W3C Trace Context §3.2); `nil` without one.
    package static var traceParent: (name: String, value: String)? {
        InstrumentationContext.current?.traceIdentity.map { (TraceParent.name, TraceParent.write($0)) }
    }
}
