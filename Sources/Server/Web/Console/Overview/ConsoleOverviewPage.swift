internal import Identity
internal import KeyturnBase
internal import Model
internal import Telemetry
internal import Texts

/// How the server does: what happened in the last hour or day, and what waits now.
struct ConsoleOverviewPage: ConsolePage {
    enum Range: String, Sendable, CaseIterable {
        case hour, day

        /// How many points its charts have.
        var steps: Int { self == .hour ? 60 : 96 }
        var minutesOfStep: Int { self == .hour ? 1 : 15 }
    }

    /// Numbers of this moment.
    struct Now: Sendable {
        /// `nil`: the database did not answer.
        let messagesWaiting: Int?
        let logoutNoticesWaiting: Int?
        let openConnections: Int
        let auditBacklog: Int
        let clients: Int
        let signingPeriods: [SigningPeriod]
        let at: UnixTime
    }

    static let template = PageTemplate.consoleOverview
    static let section = ConsoleSection.overview
    let visitor: ConsoleVisitor
    /// What happened in each step of the range, the oldest first.
    let activity: [ActivityTotals]
    let range: Range
    let state: Readiness.State
    let now: Now

    var refreshSeconds: Int? { 30 }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ConsoleOverviewStrings.self]
        var values: [String: Any] = [
            "heading": title(strings), "lead": text.lead,
            "tiles": tiles(strings), "charts": charts(strings).map { $0.values(strings) },
            "ranges": Range.allCases.map { other in
                [
                    "uri": other == .hour ? "/admin" : "/admin?range=\(other.rawValue)", "name": text.range(other),
                    "isCurrent": other == range,
                ] as [String: Any]
            },
        ]
        if state != .ready { values["problem"] = text.state(state) }
        return values
    }

    private var sum: ActivityTotals { activity.reduce(ActivityTotals(), +) }

    private func tiles(_ strings: Strings) -> [[String: Any]] {
        let text = strings[ConsoleOverviewStrings.self]
        func tile(_ name: String, _ value: String, _ more: String? = nil, isBad: Bool = false) -> [String: Any] {
            var tile: [String: Any] = ["name": name, "value": value]
            tile["more"] = more
            if isBad { tile["style"] = "bad" }
            return tile
        }
        let total = sum
        let next = now.signingPeriods.map(\.ends).min()
        return [
            tile(text.signIns, "\(total.signIns)", text.failed(total.signInFailures)),
            tile(text.refreshes, "\(total.refreshes)"),
            tile(text.replays, "\(total.replays)", text.replaysHint, isBad: total.replays > 0),
            tile(text.requests, "\(total.requests)", text.errors(total.errors), isBad: total.errors > 0),
            tile(text.latency, total.latency(0.99).map(Self.milliseconds) ?? "–", text.latencyHint),
            tile(
                text.messages, now.messagesWaiting.map(String.init) ?? "?",
                now.logoutNoticesWaiting.map { text.logoutNotices($0) }, isBad: now.messagesWaiting == nil),
            tile(
                text.keys, "\(now.signingPeriods.count)",
                next.map {
                    text.nextKey(strings[ConsoleStrings.self].duration(Int(max(1, $0.seconds(since: now.at)))))
                },
                isBad: now.signingPeriods.isEmpty),
            tile(text.connections, "\(now.openConnections)"),
            tile(text.clients, "\(now.clients)"),
            tile(text.auditBacklog, "\(now.auditBacklog)", isBad: now.auditBacklog > 1_000),
        ]
    }

    private func charts(_ strings: Strings) -> [LineChart] {
        let text = strings[ConsoleOverviewStrings.self]
        func chart(
            _ title: String, _ series: [LineChart.Series], _ write: @escaping @Sendable (Double) -> String
        ) -> LineChart {
            LineChart(
                title: title, series: series, times: activity.indices.map { time($0, strings) },
                ends: (time(0, strings), text.present), text: write)
        }
        func counts(_ name: String, _ count: (ActivityTotals) -> Int) -> LineChart.Series {
            LineChart.Series(name: name, values: activity.map { Double(count($0)) })
        }
        func latencies(_ name: String, _ share: Double) -> LineChart.Series {
            LineChart.Series(name: name, values: activity.map { $0.latency(share) })
        }
        return [
            chart(
                text.signIns, [counts(text.succeeded, \.signIns), counts(text.failedName, \.signInFailures)], Self.count
            ),
            chart(text.refreshes, [counts(text.refreshed, \.refreshes), counts(text.replays, \.replays)], Self.count),
            chart(text.requests, [counts(text.answered, \.requests), counts(text.errorsName, \.errors)], Self.count),
            chart(
                text.latency, [latencies(text.half, 0.5), latencies(text.almostAll, 0.99)], Self.milliseconds),
        ]
    }

    /// How long ago a step began.
    private func time(_ index: Int, _ strings: Strings) -> String {
        strings.time.since((activity.count - 1 - index) * range.minutesOfStep * 60)
    }

    @Sendable private static func count(_ value: Double) -> String {
        value == value.rounded() ? String(Int(value)) : String((value * 10).rounded() / 10)
    }

    @Sendable private static func milliseconds(_ seconds: Double) -> String {
        let milliseconds = seconds * 1_000
        let rounded = milliseconds < 10 ? (milliseconds * 100).rounded() / 100 : milliseconds.rounded()
        return rounded == rounded.rounded() ? "\(Int(rounded)) ms" : "\(rounded) ms"
    }
}
