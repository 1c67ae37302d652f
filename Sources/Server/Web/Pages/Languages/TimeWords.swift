internal import Texts

/// Lengths of time and moments past, in words. Relative ones: a server does not know the reader's time zone.
struct TimeWords: PageTexts {
    static let group = "moment"
    let texts: TextGroup

    /// How long to wait, rounded up: “30 seconds”, “2 minutes”.
    func duration(_ seconds: Int) -> String {
        func count(_ length: Int) -> Int { (max(seconds, 1) + length - 1) / length }
        if seconds < 90 { return texts["duration.seconds", count: count(1)] }
        if seconds < 5_400 { return texts["duration.minutes", count: count(60)] }
        return texts["duration.hours", count: count(3_600)]
    }

    /// How long it is since then, rounded down: “just now”, “3 days ago”.
    func since(_ seconds: Int) -> String {
        switch seconds {
        case 31_536_000...: texts["since.years", count: seconds / 31_536_000]
        case 2_592_000...: texts["since.months", count: seconds / 2_592_000]
        case 86_400...: texts["since.days", count: seconds / 86_400]
        case 3_600...: texts["since.hours", count: seconds / 3_600]
        case 60...: texts["since.minutes", count: seconds / 60]
        default: texts["since.now"]
        }
    }
}
