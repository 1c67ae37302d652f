internal import KeyturnBase
internal import Tracing

/// A request of the OpenTelemetry protocol in JSON (OTLP 1.x, `ExportTraceServiceRequest`): identifiers in hexadecimal
/// digits, numbers of 64 bits as text, enumerations as numbers.
enum OTLPRequest {
    /// The body for these spans.
    ///
    /// - Parameter resource: what all have in common, such as `service.name`.
    static func body(_ spans: [FinishedSpan], resource: [String: String]) -> [UInt8] {
        let attributes = resource.sorted { $0.key < $1.key }.map { pair($0.key, ["stringValue": .string($0.value)]) }
        let request: JSONValue = [
            "resourceSpans": [
                [
                    "resource": ["attributes": .array(attributes)],
                    "scopeSpans": [
                        ["scope": ["name": "keyturn"], "spans": .array(spans.map(span))]
                    ],
                ]
            ]
        ]
        return Array(request.serialized)
    }

    private static func span(_ span: FinishedSpan) -> JSONValue {
        var members: [String: JSONValue] = [
            "traceId": .string(span.identity.traceID), "spanId": .string(span.identity.spanID),
            "name": .string(span.name), "kind": .integer(number(of: span.kind)),
            "startTimeUnixNano": .string(String(span.startedAt)), "endTimeUnixNano": .string(String(span.endedAt)),
            // The lowest byte has the flags of W3C Trace Context; only sampled spans are sent.
            "flags": 1,
        ]
        if let parent = span.parent { members["parentSpanId"] = .string(TraceIdentity.hexadecimal(parent)) }
        if !span.attributes.isEmpty { members["attributes"] = .array(attributes(span.attributes)) }
        if !span.events.isEmpty {
            members["events"] = .array(
                span.events.map { event in
                    [
                        "name": .string(event.name), "timeUnixNano": .string(String(event.nanosecondsSinceEpoch)),
                        "attributes": .array(attributes(event.attributes)),
                    ]
                })
        }
        if let status = span.status {
            var object: [String: JSONValue] = ["code": status.code == .error ? 2 : 1]
            object["message"] = status.message.map { .string($0) }
            members["status"] = .object(object)
        }
        return .object(members)
    }

    private static func number(of kind: SpanKind) -> Int64 {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }

    private static func attributes(_ attributes: SpanAttributes) -> [JSONValue] {
        var named: [(String, JSONValue)] = []
        attributes.forEach { name, value in named.append((name, self.value(value))) }
        return named.sorted { $0.0 < $1.0 }.map { pair($0.0, $0.1) }
    }

    private static func pair(_ name: String, _ value: JSONValue) -> JSONValue {
        ["key": .string(name), "value": value]
    }

    private static func value(_ attribute: SpanAttribute) -> JSONValue {
        switch attribute {
        case .int32(let number): ["intValue": .string(String(number))]
        case .int64(let number): ["intValue": .string(String(number))]
        case .double(let number): ["doubleValue": .number(number)]
        case .bool(let flag): ["boolValue": .bool(flag)]
        case .string(let text): ["stringValue": .string(text)]
        case .stringConvertible(let text): ["stringValue": .string("\(text)")]
        case .stringArray(let texts):
            ["arrayValue": ["values": .array(texts.map { ["stringValue": .string($0)] })]]
        default: ["stringValue": .string("\(attribute)")]
        }
    }
}
