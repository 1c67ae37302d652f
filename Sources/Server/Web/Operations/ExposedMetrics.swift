internal import Identity
internal import KeyturnBase
internal import Model
internal import OAuth
internal import Telemetry

/// All that `/metrics` shows: what was recorded, and what is looked up when it is read.
struct ExposedMetrics: Sendable {
    let registry: MetricRegistry
    let measurements: @Sendable () -> [WebServer.Measurement]
    let families: @Sendable () async -> [MetricFamily]
    let active = ActiveRequests()
    let history: ActivityHistory
    let connections: OpenConnections
    let forwarding = ForwardingReports()

    init(
        registry: MetricRegistry, measurements: @escaping @Sendable () -> [WebServer.Measurement],
        families: @escaping @Sendable () async -> [MetricFamily], connections: OpenConnections
    ) {
        self.connections = connections
        self.registry = registry
        self.measurements = measurements
        self.families = families
        history = ActivityHistory(registry)
    }

    /// Counting the messages that wait ends here.
    private static let queueMax = 100_000

    func families(_ services: IdentityServices) async -> [MetricFamily] {
        registry.families() + server(services) + perimeter() + keys(services) + (await queues(services))
            + refreshes(services)
            + grouped(measurements()) + (await families())
    }

    private func server(_ services: IdentityServices) -> [MetricFamily] {
        [
            gauge("keyturn_clients", "Registered clients.", services.clients.count),
            gauge("keyturn_open_connections", "Connections of clients.", connections.number),
            gauge("keyturn_requests_in_flight", "Requests that wait for their answer.", active.number),
            gauge("keyturn_audit_backlog", "Security events that are not written yet.", services.auditLog.backlog),
            // A database in this process has this machine's clock.
            gauge(
                "keyturn_clock_difference_seconds", "This machine's clock, ahead of the database's.",
                Int(services.readiness.clockDifference ?? 0)),
        ]
    }

    private func perimeter() -> [MetricFamily] {
        let counts = connections.counts
        return [
            gauge("keyturn_connections_max", "Connections that may be open.", connections.bounds.all),
            counter("keyturn_connections_refused_total", "Refused: one client had its share.", counts.refused),
            counter("keyturn_connections_displaced_total", "Closed while idle, to make room.", counts.displaced),
            counter("keyturn_accept_failures_total", "Times that the system had no room.", counts.failures),
            counter(
                "keyturn_forwarding_unreadable_total", "Requests of trusted proxies that name no client.",
                forwarding.number),
        ]
    }

    private func keys(_ services: IdentityServices) -> [MetricFamily] {
        let now = services.ambient.now()
        let periods = services.keys.signingPeriods(at: now)
        func family(_ name: String, _ help: String, _ value: (SigningPeriod) -> Int64) -> MetricFamily {
            MetricFamily(
                name, help, .gauge,
                samples: periods.map {
                    .init(Double(value($0)), labels: [MetricLabel("algorithm", $0.algorithm)])
                })
        }
        return [
            gauge("keyturn_signing_keys", "Published signing keys.", services.keys.publicKeys(at: now).count),
            family("keyturn_signing_key_age_seconds", "For how long the present key has signed.") {
                now.seconds(since: $0.begins)
            },
            family("keyturn_signing_key_rotation_timestamp_seconds", "When the next key begins to sign.") {
                $0.ends.rawValue
            },
            family("keyturn_signing_keys_waiting", "Published keys that do not sign yet.") { Int64($0.waitingKeys) },
        ]
    }

    /// Without the queues if the database does not answer: the other numbers are wanted then more than ever.
    private func queues(_ services: IdentityServices) async -> [MetricFamily] {
        let lengths = try? await services.stores.maintenance.queueLengths(upTo: Self.queueMax)
        var all = [gauge("keyturn_database_up", "Whether the database answered this reading.", lengths == nil ? 0 : 1)]
        if let lengths {
            all += [
                gauge("keyturn_messages_waiting", "Emails and text messages in the queue.", lengths.messages),
                gauge("keyturn_logout_notices_waiting", "Logout notices in the queue.", lengths.logoutNotices),
                gauge("keyturn_ping_notices_waiting", "Notifications of decisions in the queue.", lengths.pingNotices),
            ]
        }
        return all
    }

    private func refreshes(_ services: IdentityServices) -> [MetricFamily] {
        let values = services.refreshReports.counters.values
        let all = [
            ("keyturn_refresh_repeated_total", "Older refresh tokens within a minute.", values.repeated),
            ("keyturn_refresh_late_total", "Older refresh tokens later than that, forgiven.", values.late),
            ("keyturn_refresh_late_elsewhere_total", "Those from another network.", values.lateElsewhere),
            ("keyturn_refresh_replayed_total", "Sessions ended by a spent refresh token.", values.replayed),
            ("keyturn_refresh_shadowed_total", "Sessions whose tokens two clients use in turn.", values.shadowed),
            ("keyturn_refresh_wrong_key_total", "Bound refresh tokens without their key.", values.wrongKey),
            ("keyturn_refresh_ahead_total", "Refresh tokens newer than the database.", values.ahead),
        ]
        return all.map { MetricFamily($0.0, $0.1, .counter, samples: [.init(Double($0.2))]) }
    }

    private func counter(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        MetricFamily(name, help, .counter, samples: [.init(Double(value))])
    }

    private func gauge(_ name: String, _ help: String, _ value: Int) -> MetricFamily {
        MetricFamily(name, help, .gauge, samples: [.init(Double(value))])
    }

    /// The series of one name together. A name that ends with `_total` is a counter.
    private func grouped(_ measurements: [WebServer.Measurement]) -> [MetricFamily] {
        var names: [String] = []
        var series: [String: [WebServer.Measurement]] = [:]
        for measurement in measurements {
            if series[measurement.name] == nil { names.append(measurement.name) }
            series[measurement.name, default: []].append(measurement)
        }
        return names.map { name in
            let own = series[name] ?? []
            return MetricFamily(
                name, own.first?.help ?? "", name.hasSuffix("_total") ? .counter : .gauge,
                samples: own.map { one in
                    .init(Double(one.value), labels: one.label.map { [MetricLabel($0.name, $0.value)] } ?? [])
                })
        }
    }
}
