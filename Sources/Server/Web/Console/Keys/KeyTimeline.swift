internal import KeyturnBase
internal import Model

/// When each key waits, signs and verifies, as bars over time, and where in it we are.
struct KeyTimeline: Sendable {
    /// One bar: a key in one state.
    private struct Span: Sendable {
        let state: StoredKey.State
        let begin: UnixTime
        let end: UnixTime
    }

    private let keys: [StoredKey]
    private let now: UnixTime
    private let begin: UnixTime
    private let end: UnixTime

    private static let rowHeight = 46
    private static let top = 22
    private static let barOffset = 20
    private static let axisHeight = 22

    /// `nil`: there are no keys.
    init?(_ keys: [StoredKey], at now: UnixTime) {
        guard let first = keys.map(\.createdAt).min(), let last = keys.map(\.removedAt).max() else { return nil }
        self.keys = keys
        self.now = now
        begin = min(first, now)
        end = max(last, now + 1)
    }

    /// The values for `consoleKeyTimeline.mustache`. Places along the time line are shares of its width, so that texts and
    /// patterns keep their size on every screen.
    func values(_ text: ConsoleKeysStrings) -> [String: Any] {
        let height = Self.top + keys.count * Self.rowHeight
        let share = place(now)
        return [
            "title": text.timeline, "height": String(height + Self.axisHeight), "floor": String(height),
            "textFloor": String(height + 16), "now": share.text, "nowText": text.present,
            "anchor": share.value < 10 ? "start" : share.value > 90 ? "end" : "middle",
            "first": String(begin.minuteText.prefix(10)), "last": String(end.minuteText.prefix(10)),
            "rows": keys.enumerated().map { index, key in row(key, Self.top + index * Self.rowHeight, text) },
            "states": [StoredKey.State.next, .signing, .verifying].map { state in
                ["style": Self.style(state), "name": text.state(state)]
            },
        ]
    }

    private func row(_ key: StoredKey, _ y: Int, _ text: ConsoleKeysStrings) -> [String: Any] {
        let state = key.state(at: now).map(text.state) ?? ""
        return [
            "label": "\(key.algorithm) · \(key.keyID.prefix(8))… · \(state)", "y": String(y + 13),
            "bars": Self.spans(key).filter { $0.begin < $0.end }.map { span in
                let (begin, end) = (place(span.begin), place(span.end))
                return [
                    "x": begin.text, "width": Self.percent(max(0.4, end.value - begin.value)),
                    "y": String(y + Self.barOffset), "style": Self.style(span.state),
                    "title":
                        "\(text.state(span.state)): \(span.begin.minuteText) – \(span.end.minuteText)",
                ]
            },
        ]
    }

    private static func spans(_ key: StoredKey) -> [Span] {
        let retires = max(key.activatesAt, key.retiresAt)
        return [
            Span(state: .next, begin: key.createdAt, end: key.activatesAt),
            Span(state: .signing, begin: key.activatesAt, end: key.retiresAt),
            Span(state: .verifying, begin: retires, end: key.removedAt),
        ]
    }

    private static func style(_ state: StoredKey.State) -> String {
        switch state {
        case .next: "next"
        case .signing: "signing"
        case .verifying: "verifying"
        }
    }

    private func place(_ time: UnixTime) -> (value: Double, text: String) {
        let length = Double(max(1, end.seconds(since: begin)))
        let value = min(100, max(0, Double(time.seconds(since: begin)) / length * 100))
        return (value, Self.percent(value))
    }

    private static func percent(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
    }
}
