internal import KeyturnBase

/// What a server did between two readings of its metrics; with one reading, since it began.
struct ServerActivity: Sendable {
    /// The requests of one route, or of all.
    struct Requests: Sendable {
        /// `none` for addresses where there is nothing.
        let route: String
        let perSecond: Double
        /// Answers with a status from 500 on, per second.
        let errorsPerSecond: Double
        /// In seconds; `nil` without requests.
        let p50: Double?
        let p99: Double?
    }

    /// How long the numbers per second are averaged over, in seconds.
    let seconds: Double
    let all: Requests
    /// The busiest first; those without requests are left out.
    let routes: [Requests]
    /// Of each outcome, per second.
    let signIns: [String: Double]
    let refreshes: [String: Double]
    /// Answers of the token endpoint that gave a token, per second.
    let tokensPerSecond: Double
    /// Since the server began.
    let replays: Int
    /// Numbers of this moment, by the metric's name; absent ones are not exposed.
    let gauges: [String: Double]
    /// When the next key of each algorithm begins to sign, in seconds since 1970.
    let rotations: [String: Double]
    let version: String

    static let gaugeNames = [
        "keyturn_open_connections", "keyturn_requests_in_flight", "keyturn_messages_waiting",
        "keyturn_logout_notices_waiting", "keyturn_messages_dead", "keyturn_signing_keys", "keyturn_database_up",
        "keyturn_audit_backlog", "keyturn_clients", "process_resident_memory_bytes", "process_open_fds",
        "process_start_time_seconds",
    ]
    private static let requests = "http_server_request_duration_seconds"

    /// - Parameters:
    ///   - now: the newer reading.
    ///   - before: the older one; `nil`: what happened since the server began is averaged.
    ///   - seconds: between the two.
    init(_ now: MetricReading, since before: MetricReading?, seconds: Double) {
        let started = now.sum("process_start_time_seconds")
        // A server that was restarted in between counts from nought again.
        let before = before.flatMap { $0.sum("process_start_time_seconds") == started ? $0 : nil }
        let seconds = max(seconds, 0.001)
        func rates(_ name: String, by label: String) -> [String: Double] {
            let old = before?.sums(name, by: label) ?? [:]
            return now.sums(name, by: label).mapValues { $0 }.merging(old) { max(0, $0 - $1) }
                .mapValues { $0 / seconds }
        }
        self.seconds = seconds
        signIns = rates("keyturn_sign_ins_total", by: "outcome")
        refreshes = rates("keyturn_refreshes_total", by: "outcome")
        tokensPerSecond = rates("keyturn_token_requests_total", by: "outcome")["issued"] ?? 0
        replays = Int(now.sum("keyturn_refresh_replayed_total") ?? 0)
        gauges = Dictionary(
            Self.gaugeNames.compactMap { name in now.sum(name).map { (name, $0) } }
        ) { first, _ in first }
        .merging(["keyturn_hashing_queue_length": now.sum("keyturn_hashing_queue_length") ?? 0]) { first, _ in first }
        rotations = now.sums("keyturn_signing_key_rotation_timestamp_seconds", by: "algorithm")
        version = now.samples("keyturn_build_info").first?.labels["version"] ?? "?"
        let names = Set(now.samples(Self.requests + "_count").map { $0.labels["http_route"] })
        routes = names.compactMap { route in
            Self.requests(now, before, route: route, seconds) { $0.labels["http_route"] == route }
        }
        .sorted { ($1.perSecond, $0.route) < ($0.perSecond, $1.route) }
        all =
            Self.requests(now, before, route: nil, seconds) { _ in true }
            ?? Requests(route: "all", perSecond: 0, errorsPerSecond: 0, p50: nil, p99: nil)
    }

    private static func requests(
        _ now: MetricReading, _ before: MetricReading?, route: String?, _ seconds: Double,
        _ isMeant: (MetricReading.Sample) -> Bool
    ) -> Requests? {
        func difference(_ name: String, _ isMeant: (MetricReading.Sample) -> Bool) -> Double {
            func total(_ reading: MetricReading?) -> Double {
                reading?.samples(name).filter(isMeant).reduce(0) { $0 + $1.value } ?? 0
            }
            return max(0, total(now) - total(before))
        }
        let count = difference(requests + "_count", isMeant)
        guard count > 0 else { return nil }
        let errors = difference(requests + "_count") {
            isMeant($0) && $0.labels["http_response_status_code"]?.hasPrefix("5") == true
        }
        var buckets: [Double: Double] = [:]
        for (reading, sign) in [(now, 1.0), (before, -1.0)] {
            for sample in reading?.samples(requests + "_bucket").filter(isMeant) ?? [] {
                guard let bound = sample.labels["le"].flatMap({ $0 == "+Inf" ? .infinity : Double($0) }) else {
                    continue
                }
                buckets[bound, default: 0] += sign * sample.value
            }
        }
        let ordered = buckets.sorted { $0.key < $1.key }
        return Requests(
            route: route ?? "none", perSecond: count / seconds, errorsPerSecond: errors / seconds,
            p50: quantile(0.5, ordered), p99: quantile(0.99, ordered))
    }

    /// As Prometheus' `histogram_quantile` does it: linear inside a bucket, and the highest bound above all.
    static func quantile(_ share: Double, _ buckets: [(key: Double, value: Double)]) -> Double? {
        guard let total = buckets.last?.value, total > 0 else { return nil }
        let rank = share * total
        var lower: (bound: Double, count: Double) = (0, 0)
        for (bound, count) in buckets {
            if count >= rank, count > lower.count {
                guard bound.isFinite else { return lower.bound }
                return lower.bound + (bound - lower.bound) * (rank - lower.count) / (count - lower.count)
            }
            lower = (bound, count)
        }
        return lower.bound
    }

    /// For programs.
    var json: JSONValue {
        func rounded(_ value: Double?) -> JSONValue {
            guard let value else { return .null }
            return Int64(exactly: value).map { .integer($0) } ?? .number((value * 1e6).rounded() / 1e6)
        }
        func object(_ requests: Requests) -> JSONValue {
            [
                "route": .string(requests.route), "per_second": rounded(requests.perSecond),
                "errors_per_second": rounded(requests.errorsPerSecond), "p50_seconds": rounded(requests.p50),
                "p99_seconds": rounded(requests.p99),
            ]
        }
        return [
            "seconds": rounded(seconds), "version": .string(version), "requests": object(all),
            "routes": .array(routes.map(object)), "sign_ins_per_second": .object(signIns.mapValues(rounded)),
            "refreshes_per_second": .object(refreshes.mapValues(rounded)),
            "tokens_per_second": rounded(tokensPerSecond), "refresh_replays": .integer(Int64(replays)),
            "now": .object(gauges.mapValues(rounded)), "key_rotations": .object(rotations.mapValues(rounded)),
        ]
    }
}
