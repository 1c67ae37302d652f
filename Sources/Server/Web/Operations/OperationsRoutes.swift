internal import HTTPTypes
internal import Identity
internal import KeyturnBase
internal import Model
internal import OAuth
internal import Telemetry

/// `/healthz`, `/readyz` and `/metrics`: for the operator's monitoring.
struct OperationsRoutes: Sendable {
    let services: IdentityServices
    let exposed: ExposedMetrics
    let checks: Checks

    var routes: [Route] {
        [
            Route(.get, "/healthz", open: "says nothing but that the process lives", handler: health),
            Route(.get, "/readyz", open: "says nothing but whether the server is ready", handler: readiness),
            Route(.get, "/metrics", checks.operator, handler: metrics),
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
    @Sendable private func metrics(
        _ operator: Operator, _ request: Request, _ context: WebContext
    ) async throws -> Response {
        let format = ExpositionFormat(accept: request.headers[.accept])
        var response = Response.text(.ok, ExpositionWriter.text(await exposed.families(services), format))
        response.headers[.contentType] = format.contentType
        response.headers[.vary] = "Accept"
        return response
    }
}
