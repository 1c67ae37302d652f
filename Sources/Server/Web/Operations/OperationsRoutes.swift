internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import Model
internal import OAuth

/// `/healthz`, `/readyz` and `/metrics`: for the operator's monitoring.
struct OperationsRoutes: Sendable {
    let services: IdentityServices
    let metrics: RequestMetrics
    let checks: Checks
    let measurements: @Sendable () -> [WebServer.Measurement]

    var routes: [Route] {
        [
            Route(.get, "/healthz", open: "says nothing but that the process lives", handler: health),
            Route(.get, "/readyz", open: "says nothing but whether the server is ready", handler: readiness),
            Route(.get, "/metrics", checks.operator, handler: prometheus),
        ]
    }

    /// 200 as long as the process lives.
    @Sendable private func health(_ request: Request, _ context: WebContext) async throws -> Response {
        .text(.ok, "alive\n")
    }

    /// 200 if the server should get requests.
    @Sendable private func readiness(_ request: Request, _ context: WebContext) async throws -> Response {
        switch await services.readiness.state() {
        case .ready: .text(.ok, "ready\n")
        case .stopping: .text(.serviceUnavailable, "the server is stopping\n")
        case .noDatabase: .text(.serviceUnavailable, "the database does not answer\n")
        case .noSigningKey: .text(.serviceUnavailable, "there is no signing key yet\n")
        case .wrongClock(let seconds):
            .text(
                .serviceUnavailable,
                "the clock is \(abs(seconds)) seconds \(seconds > 0 ? "ahead of" : "behind") the database's\n")
        }
    }

    /// For this machine, and for clients with a management key; other clients get 404.
    @Sendable private func prometheus(_ operator: Operator) async throws -> Response {
        let text = metrics.exposition(
            extra: [
                WebServer.Measurement(
                    name: "keyturn_clients", help: "Registered clients.", value: services.clients.count),
                WebServer.Measurement(
                    name: "keyturn_signing_keys", help: "Published signing keys.",
                    value: services.keys.publicKeys(at: services.ambient.now()).count
                ),
            ] + clock + refreshes + measurements())
        var response = Response.text(.ok, text)
        response.headers[.contentType] = "text/plain; version=0.0.4; charset=utf-8"
        return response
    }

    private var clock: [WebServer.Measurement] {
        services.readiness.clockDifference.map { difference in
            [
                WebServer.Measurement(
                    name: "keyturn_clock_difference_seconds",
                    help: "This machine's clock, ahead of the database's.", value: Int(difference))
            ]
        } ?? []
    }

    private var refreshes: [WebServer.Measurement] {
        let values = services.refreshReports.counters.values
        let all = [
            ("keyturn_refresh_repeated_total", "Older refresh tokens within a minute.", values.repeated),
            ("keyturn_refresh_late_total", "Older refresh tokens later than that, forgiven.", values.late),
            ("keyturn_refresh_late_elsewhere_total", "Those from another network.", values.lateElsewhere),
            ("keyturn_refresh_replayed_total", "Sessions ended by a spent refresh token.", values.replayed),
            ("keyturn_refresh_wrong_key_total", "Bound refresh tokens without their key.", values.wrongKey),
            ("keyturn_refresh_ahead_total", "Refresh tokens newer than the database.", values.ahead),
        ]
        return all.map { WebServer.Measurement(name: $0.0, help: $0.1, value: $0.2) }
    }
}
