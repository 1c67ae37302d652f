internal import Identity
internal import KeyturnBase
internal import Model
internal import OAuth
internal import Telemetry

extension ConsoleSection {
    static let overview: ConsoleSection = .init(
        path: "/admin", title: { $0[ConsoleOverviewStrings.self].title },
        routes: { routes in [routes.page(.overview, routes.showOverview)] })
}

/// `/admin`: how the server does.
extension ConsoleRoutes {
    /// Counting the messages that wait ends here.
    private static let queueMax = 10_000

    @Sendable func showOverview(_ opened: ConsoleRequest) async throws -> Response {
        let range = opened.value("range").flatMap(ConsoleOverviewPage.Range.init) ?? .hour
        let queues = try? await services.stores.maintenance.queueLengths(upTo: Self.queueMax)
        let now = services.ambient.now()
        let page = ConsoleOverviewPage(
            visitor: frame.visitor(opened), activity: activity(range), range: range,
            state: await services.readiness.state(),
            now: .init(
                messagesWaiting: queues?.messages,
                logoutNoticesWaiting: queues?.logoutNotices, openConnections: metrics.connections.number,
                auditBacklog: services.auditLog.backlog, clients: services.clients.count,
                signingPeriods: services.keys.signingPeriods(at: now), at: now))
        return frame.page(page, opened)
    }

    /// The minutes of the range in steps, the oldest first.
    private func activity(_ range: ConsoleOverviewPage.Range) -> [ActivityTotals] {
        let (minutes, now) = metrics.history.minutes()
        var steps = Array(repeating: ActivityTotals(), count: range.steps)
        for minute in minutes {
            let step = range.steps - 1 - (now - minute.number) / range.minutesOfStep
            if steps.indices.contains(step) { steps[step] = steps[step] + minute.totals }
        }
        return steps
    }
}
