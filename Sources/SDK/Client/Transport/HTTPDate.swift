internal import KeyturnBase

/// The date of HTTP's header fields (RFC 9110 §5.6.7), in the one form that servers send today:
/// `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// `nil` for anything else.
    static func parse(_ text: String) -> UnixTime? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].last == ",", parts[5] == "GMT",
            let day = number(parts[1], digits: 2, 1...31), let month = months.firstIndex(of: String(parts[2])),
            let year = number(parts[3], digits: 4, 1_970...9_999)
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, let hour = number(clock[0], digits: 2, 0...23),
            let minute = number(clock[1], digits: 2, 0...59), let second = number(clock[2], digits: 2, 0...60)
        else { return nil }
        let days = daysSinceEpoch(year: year, month: month + 1, day: day)
        return UnixTime(rawValue: days * 86_400 + hour * 3_600 + minute * 60 + second)
    }

    private static func number(_ text: Substring, digits: Int, _ range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.count == digits, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let value = Int64(text),
            range.contains(value)
        else { return nil }
        return value
    }

    /// Counts in years that begin in March, so that the leap day is the last.
    static func daysSinceEpoch(year: Int64, month: Int, day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let monthsSinceMarch = Int64((month + 9) % 12)
        let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + dayOfYear - 719_468
    }
}
