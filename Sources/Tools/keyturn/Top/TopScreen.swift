internal import Foundation
internal import KeyturnBase

/// Draws what a server does as lines of text, for a terminal of any width or for a file.
struct TopScreen: Sendable {
    /// The address that is watched.
    let url: String
    /// Columns; lines are cut there.
    let width: Int
    /// Rows; routes that do not fit are left out.
    let height: Int
    /// Whether headings and what needs attention stand out.
    let isStyled: Bool

    /// Below so many columns, numbers that explain others are left out.
    private static let wide = 70
    private static let routeWidthMin = 12

    /// - Parameter now: in seconds since 1970.
    func lines(_ activity: ServerActivity, at now: UnixTime) -> [String] {
        var lines = [title(activity, at: now), ""] + summary(activity, at: now) + [""]
        lines.append(heading(routeHeader))
        let shown = activity.routes.prefix(max(0, height - lines.count - 1))
        lines += shown.map(routeLine)
        let hidden = activity.routes.count - shown.count
        if hidden > 0 { lines[lines.count - 1] = cut("… and \(hidden + 1) more routes") }
        if activity.routes.isEmpty { lines.append(cut("no requests")) }
        return lines
    }

    private func title(_ activity: ServerActivity, at now: UnixTime) -> String {
        let started = activity.gauges["process_start_time_seconds"]
        let up = started.map { ", up \(Self.span(Double(now.rawValue) - $0))" } ?? ""
        return heading("keyturn \(activity.version)  \(url)\(up)")
    }

    private func summary(_ activity: ServerActivity, at now: UnixTime) -> [String] {
        func gauge(_ name: String) -> String { activity.gauges[name].map(Self.count) ?? "–" }
        let all = activity.all
        let refused = activity.signIns.filter { $0.key != "succeeded" }.values.reduce(0, +)
        let odd = activity.refreshes.filter { !["renewed", "repeated"].contains($0.key) }.values.reduce(0, +)
        var rows: [(String, [String], needsAttention: Bool)] = [
            (
                "requests",
                [
                    "\(Self.rate(all.perSecond))/s", "p50 \(Self.time(all.p50))", "p99 \(Self.time(all.p99))",
                    "errors \(Self.rate(all.errorsPerSecond))/s",
                ], all.errorsPerSecond > 0
            ),
            (
                "sign-ins",
                ["\(Self.rate(activity.signIns["succeeded"] ?? 0))/s", "failed or throttled \(Self.rate(refused))/s"],
                false
            ),
            (
                "refreshes",
                [
                    "\(Self.rate(activity.refreshes["renewed"] ?? 0))/s", "refused or late \(Self.rate(odd))/s",
                    "replays \(activity.replays)",
                ], (activity.refreshes["replayed"] ?? 0) > 0
            ),
            ("tokens", ["\(Self.rate(activity.tokensPerSecond))/s"], false),
            (
                "queues",
                [
                    "messages \(gauge("keyturn_messages_waiting"))",
                    "logout notices \(gauge("keyturn_logout_notices_waiting"))",
                    "hashes \(gauge("keyturn_hashing_queue_length"))", "given up \(gauge("keyturn_messages_dead"))",
                ], activity.gauges["keyturn_database_up"] == 0
            ),
            ("keys", [gauge("keyturn_signing_keys")] + rotations(activity, at: now), false),
            (
                "process",
                [
                    activity.gauges["process_resident_memory_bytes"].map { "\(Self.count($0 / 1_048_576)) MiB" } ?? "–",
                    "connections \(gauge("keyturn_open_connections"))", "files \(gauge("process_open_fds"))",
                ], false
            ),
        ]
        if activity.gauges["keyturn_database_up"] == 0 { rows.append(("database", ["does not answer"], true)) }
        return rows.map { name, parts, needsAttention in
            let kept = width < Self.wide ? Array(parts.prefix(3)) : parts
            let line = cut(name.padding(toLength: 11, withPad: " ", startingAt: 0) + kept.joined(separator: "  "))
            return needsAttention && isStyled ? "\u{1B}[33m\(line)\u{1B}[0m" : line
        }
    }

    private func rotations(_ activity: ServerActivity, at now: UnixTime) -> [String] {
        activity.rotations.sorted { $0.key < $1.key }.map { algorithm, time in
            "\(algorithm) for \(Self.span(time - Double(now.rawValue)))"
        }
    }

    private var routeHeader: String {
        route("ROUTE", ["REQ/S", "P50", "P99"] + (width < Self.wide ? [] : ["ERRORS/S"]))
    }

    private func routeLine(_ requests: ServerActivity.Requests) -> String {
        var cells = [Self.rate(requests.perSecond), Self.time(requests.p50), Self.time(requests.p99)]
        if width >= Self.wide { cells.append(Self.rate(requests.errorsPerSecond)) }
        return cut(route(requests.route, cells))
    }

    private func route(_ name: String, _ cells: [String]) -> String {
        let numbers = cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }.joined()
        let room = max(Self.routeWidthMin, min(44, width - numbers.count))
        let shown = name.count > room ? name.prefix(room - 1) + "…" : name[...]
        return String(shown).padding(toLength: room, withPad: " ", startingAt: 0) + numbers
    }

    private func heading(_ text: String) -> String {
        isStyled ? "\u{1B}[1m\(cut(text))\u{1B}[0m" : cut(text)
    }

    private func cut(_ text: String) -> String {
        text.count > width ? String(text.prefix(max(0, width - 1))) + "…" : text
    }

    static func rate(_ value: Double) -> String {
        value >= 100 ? count(value) : String(format: value >= 10 ? "%.1f" : "%.2f", value)
    }

    static func count(_ value: Double) -> String { String(Int(value.rounded())) }

    static func time(_ seconds: Double?) -> String {
        guard let seconds else { return "–" }
        return seconds < 0.001
            ? String(format: "%.0f µs", seconds * 1e6)
            : seconds < 1 ? String(format: "%.1f ms", seconds * 1e3) : String(format: "%.2f s", seconds)
    }

    /// In the largest unit that fits, such as `3 d`.
    static func span(_ seconds: Double) -> String {
        let seconds = Int(max(0, seconds))
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
