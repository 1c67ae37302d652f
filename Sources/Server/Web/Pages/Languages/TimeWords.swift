/// Lengths of time and moments past, in words. Relative ones: a server does not know the reader's time zone.
struct TimeWords: Sendable {
    private let second: Unit
    private let minute: Unit
    private let hour: Unit
    private let day: Unit
    private let month: Unit
    private let year: Unit
    private let justNow: String
    private let ago: @Sendable (String) -> String

    private struct Unit: Sendable {
        let one: String
        let many: String
        /// Where it follows “vor”; the same in English.
        let manyAgo: String

        init(_ one: String, _ many: String, ago manyAgo: String? = nil) {
            (self.one, self.many, self.manyAgo) = (one, many, manyAgo ?? many)
        }
    }

    /// How long to wait, rounded up: “30 seconds”, “2 minutes”.
    func duration(_ seconds: Int) -> String {
        let (unit, length) = seconds < 90 ? (second, 1) : seconds < 5_400 ? (minute, 60) : (hour, 3_600)
        let count = (max(seconds, 1) + length - 1) / length
        return count == 1 ? unit.one : "\(count) \(unit.many)"
    }

    /// How long it is since then, rounded down: “just now”, “3 days ago”.
    func since(_ seconds: Int) -> String {
        let steps = [(31_536_000, year), (2_592_000, month), (86_400, day), (3_600, hour), (60, minute)]
        guard let (length, unit) = steps.first(where: { seconds >= $0.0 }) else { return justNow }
        let count = seconds / length
        return ago(count == 1 ? unit.one : "\(count) \(unit.manyAgo)")
    }

    static let english = TimeWords(
        second: Unit("1 second", "seconds"), minute: Unit("1 minute", "minutes"), hour: Unit("1 hour", "hours"),
        day: Unit("1 day", "days"), month: Unit("1 month", "months"), year: Unit("1 year", "years"),
        justNow: "just now", ago: { "\($0) ago" })

    static let german = TimeWords(
        second: Unit("1 Sekunde", "Sekunden"), minute: Unit("1 Minute", "Minuten"), hour: Unit("1 Stunde", "Stunden"),
        day: Unit("1 Tag", "Tage", ago: "Tagen"), month: Unit("1 Monat", "Monate", ago: "Monaten"),
        year: Unit("1 Jahr", "Jahre", ago: "Jahren"), justNow: "gerade eben",
        ago: { "vor \($0)" })
}
