internal import Tracing

/// The names of what the server records, and what the exposition says of them.
package enum ServerMetrics {
    /// Of OpenTelemetry's semantic conventions for HTTP servers.
    package static let requestDuration = "http.server.request.duration"
    static let signIns = "keyturn.sign_ins"
    static let refreshes = "keyturn.refreshes"
    static let tokenRequests = "keyturn.token_requests"
    static let auditEvents = "keyturn.audit_events"
    static let hashingDuration = "keyturn.hashing.duration"
    static let hashingWait = "keyturn.hashing.wait"
    static let hashingRefused = "keyturn.hashing.refused"
    static let storeDuration = "keyturn.store.operation.duration"
    static let storeFailures = "keyturn.store.failures"

    static let spansExported = "keyturn.trace.spans.exported"
    static let spansDropped = "keyturn.trace.spans.dropped"

    /// A registry that knows all of them.
    ///
    /// - Parameter now: seconds since 1970.
    package static func makeRegistry(
        now: @escaping @Sendable () -> Double = { Double(DefaultTracerClock.now.nanosecondsSinceEpoch) / 1e9 }
    ) -> MetricRegistry {
        MetricRegistry(descriptions, views: [requestView], now: now)
    }

    private static let descriptions = [
        MetricDescription(requestDuration, "How long the server took for an answer."),
        MetricDescription(signIns, "Sign-ins by method and outcome."),
        MetricDescription(refreshes, "Uses of refresh tokens by outcome."),
        MetricDescription(tokenRequests, "Requests at the token endpoint by grant type and outcome."),
        MetricDescription(auditEvents, "Security events, as the audit log names them."),
        MetricDescription(hashingDuration, "How long a password or a PIN was hashed."),
        MetricDescription(hashingWait, "How long a hash waited for a thread."),
        MetricDescription(hashingRefused, "Hashes that were not made, because too many waited or one waited too long."),
        MetricDescription(storeDuration, "How long the database took, with the wait for its commit."),
        MetricDescription(storeFailures, "Calls that the database did not answer."),
        MetricDescription(spansExported, "Spans that the collector of traces accepted."),
        MetricDescription(spansDropped, "Spans that were lost: too many waited, or the collector did not take them."),
    ]

    /// The histogram under the name, with the labels and the buckets that it had first.
    private static let requestView = MetricView(
        of: requestDuration, name: "keyturn_http_request_duration_seconds", help: "How long answers took.",
        bounds: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5]
    ) { labels in
        func value(_ name: String) -> String? { labels.first { $0.name == name }?.value }
        let route = value("http_route")
        let method = value("http_request_method") ?? ""
        return [
            MetricLabel("route", route ?? "none"),
            // HEAD is answered by the route of GET, and an address without a route counts as GET.
            MetricLabel("method", route == nil || method == "HEAD" ? "GET" : method),
            MetricLabel("status", value("http_response_status_code") ?? ""),
        ]
    }
}
