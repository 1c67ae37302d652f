internal import HTTPTypes
internal import Synchronization

/// Counts answered requests by route, method and status, and measures their time. Labels come from the route table
/// alone, so clients cannot create new series.
public final class RequestMetrics: Sendable {
    private struct Series: Hashable, Sendable {
        let route: String
        let method: String
        let status: Int
    }

    fileprivate struct Values: Sendable {
        var count = 0
        var nanoseconds: Int64 = 0
        var buckets = [Int](repeating: 0, count: RequestMetrics.bounds.count)
    }

    /// Upper bounds of the histogram's buckets, in seconds.
    fileprivate static let bounds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5]
    private let values = Mutex<[Series: Values]>([:])

    public init() {}

    func record(route: String, method: HTTPRequest.Method, status: HTTPResponse.Status, duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        let series = Series(route: route, method: method.rawValue, status: status.code)
        values.withLock { values in
            values[series, default: Values()].add(nanoseconds)
        }
    }

    /// The text that Prometheus reads (exposition format 0.0.4).
    func exposition(extra: [WebServer.Measurement]) -> String {
        var lines = [
            "# HELP keyturn_http_request_duration_seconds How long answers took.",
            "# TYPE keyturn_http_request_duration_seconds histogram",
        ]
        let snapshot = values.withLock { $0 }
        for (series, values) in snapshot.sorted(by: { Self.label($0.key) < Self.label($1.key) }) {
            let label = Self.label(series)
            let name = "keyturn_http_request_duration_seconds"
            for (bound, count) in zip(Self.bounds, values.buckets) {
                lines.append("\(name)_bucket{\(label),le=\"\(bound)\"} \(count)")
            }
            lines.append("\(name)_bucket{\(label),le=\"+Inf\"} \(values.count)")
            lines.append("\(name)_sum{\(label)} \(Double(values.nanoseconds) / 1e9)")
            lines.append("\(name)_count{\(label)} \(values.count)")
        }
        var described: Set<String> = []
        for metric in extra {
            if described.insert(metric.name).inserted {
                lines.append("# HELP \(metric.name) \(metric.help)")
                lines.append("# TYPE \(metric.name) \(metric.name.hasSuffix("_total") ? "counter" : "gauge")")
            }
            let label = metric.label.map { "{\($0.name)=\"\($0.value)\"}" } ?? ""
            lines.append("\(metric.name)\(label) \(metric.value)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func label(_ series: Series) -> String {
        "route=\"\(series.route)\",method=\"\(series.method)\",status=\"\(series.status)\""
    }
}

extension RequestMetrics.Values {
    fileprivate mutating func add(_ elapsed: Int64) {
        count += 1
        nanoseconds += elapsed
        for (index, bound) in RequestMetrics.bounds.enumerated() where Double(elapsed) <= bound * 1e9 {
            buckets[index] += 1
        }
    }
}
