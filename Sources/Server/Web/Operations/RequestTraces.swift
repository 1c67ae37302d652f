internal import HTTPTypes
internal import Telemetry
internal import Tracing

/// Opens a span for each request, in the trace of the caller if there is one (W3C Trace Context).
///
/// Attributes are those of OpenTelemetry's conventions that come from closed sets: no address, no query, nothing of the
/// user.
struct RequestTraces: Sendable {
    private let tracer: any Tracer

    /// With the tracer that the process was bootstrapped with; `nil` without one.
    init?() {
        let tracer = InstrumentationSystem.tracer
        guard !(tracer is NoOpTracer) else { return nil }
        self.tracer = tracer
    }

    /// Runs `body` inside the span of the request.
    func trace(
        _ request: Request, _ route: Route?, _ context: WebContext, _ body: (WebContext) async -> Response
    ) async -> Response {
        var parent = InstrumentationContext.topLevel
        tracer.extract(request.headers, into: &parent, using: FieldExtractor())
        let method = request.method.rawValue
        let span = tracer.startAnySpan(
            route.map { "\(method) \($0.path)" } ?? method, context: parent, ofKind: .server)
        var context = context
        context.trace = span.context.traceIdentity
        let response = await InstrumentationContext.withValue(span.context) { await body(context) }
        if span.isRecording {
            span.updateAttributes { attributes in
                attributes["http.request.method"] = method
                attributes["http.response.status_code"] = response.status.code
                if let route { attributes["http.route"] = route.path }
                if response.status.code >= 500 { attributes["error.type"] = String(response.status.code) }
            }
            if response.status.code >= 500 { span.setStatus(SpanStatus(code: .error)) }
        }
        span.end()
        return response
    }
}

private struct FieldExtractor: Extractor {
    func extract(key: String, from carrier: RequestFields) -> String? {
        HTTPField.Name(key).flatMap { carrier[$0] }
    }
}
