internal import CoreMetrics
internal import HTTPTypes
internal import Synchronization
internal import Telemetry

/// Measures the time of answered requests by route, method and status. Labels come from the route table alone, so
/// clients cannot create new series.
///
/// A handle of swift-metrics is resolved once for each series. A request costs one look-up of its route, two
/// uncontended locks, and no allocation.
final class RequestMetrics: Sendable {
    /// The series of one route.
    private final class RouteTimers: Sendable {
        private let dimensions: [(String, String)]
        private let factory: any MetricsFactory
        /// Few: a route has one or two methods and a handful of statuses.
        private let timers = Mutex<[(key: Int, timer: Timer)]>([])

        init(_ route: String?, scheme: String, _ factory: any MetricsFactory) {
            dimensions = [("url.scheme", scheme)] + (route.map { [("http.route", $0)] } ?? [])
            self.factory = factory
        }

        func timer(_ method: Int, _ status: Int) -> Timer {
            let key = status << 8 | method
            return timers.withLock { timers in
                if let known = timers.first(where: { $0.key == key }) { return known.timer }
                let timer = makeTimer(method, status)
                timers.append((key, timer))
                return timer
            }
        }

        private func makeTimer(_ method: Int, _ status: Int) -> Timer {
            var dimensions = self.dimensions
            dimensions.append(("http.request.method", RequestMetrics.methodNames[method]))
            dimensions.append(("http.response.status_code", String(status)))
            if status >= 500 { dimensions.append(("error.type", String(status))) }
            return Timer(label: ServerMetrics.requestDuration, dimensions: dimensions, factory: factory)
        }
    }

    /// The methods of OpenTelemetry's conventions; the last stands for all others.
    private static let methods: [HTTPRequest.Method] = [.get, .post, .head, .put, .patch, .delete, .options]
    private static let methodNames = methods.map(\.rawValue) + ["_OTHER"]

    private let routes: [String: RouteTimers]
    /// Of addresses where there is nothing.
    private let none: RouteTimers
    private let active: ActiveRequests
    private let history: ActivityHistory

    /// - Parameters:
    ///   - paths: of the route table.
    ///   - scheme: of the server's own address.
    ///   - factory: what keeps the numbers.
    ///   - active: counts those that wait for their answer.
    ///   - history: is told of each request.
    init(
        paths: some Sequence<String>, scheme: String, factory: any MetricsFactory, active: ActiveRequests,
        history: ActivityHistory
    ) {
        self.active = active
        self.history = history
        routes = Dictionary(paths.map { ($0, RouteTimers($0, scheme: scheme, factory)) }) { first, _ in first }
        none = RouteTimers(nil, scheme: scheme, factory)
    }

    func begin(_ now: ContinuousClock.Instant) {
        history.pass(now)
        active.count.wrappingAdd(1, ordering: .relaxed)
    }

    func end(route: String?, method: HTTPRequest.Method, status: HTTPResponse.Status, duration: Duration) {
        active.count.wrappingSubtract(1, ordering: .relaxed)
        let timers = route.flatMap { routes[$0] } ?? none
        let method = Self.methods.firstIndex(of: method) ?? Self.methods.count
        timers.timer(method, status.code).recordNanoseconds(duration.nanoseconds)
    }
}

/// How many requests wait for their answer.
final class ActiveRequests: Sendable {
    fileprivate let count = Atomic<Int>(0)

    var number: Int { count.load(ordering: .relaxed) }
}
