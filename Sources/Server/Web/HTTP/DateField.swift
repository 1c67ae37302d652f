internal import KeyturnBase
internal import Synchronization

/// The text of the `Date` field (RFC 9110 §5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
enum DateField {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static let latest = Mutex((time: UnixTime(rawValue: 0), text: text(UnixTime(rawValue: 0))))

    /// As ``text(_:)``, written once for each second.
    static func cached(_ time: UnixTime) -> String {
        latest.withLock { latest in
            if latest.time != time { latest = (time, text(time)) }
            return latest.text
        }
    }

    /// - Parameter time: to 9999; an earlier time than 1970 is written as its first second.
    static func text(_ time: UnixTime) -> String {
        let (days, second) = Int(max(0, time.rawValue)).quotientAndRemainder(dividingBy: 86_400)
        // Counts in years that begin in March, so that the leap day is the last; eras are 400 years.
        let shifted = days + 719_468
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthSinceMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthSinceMarch + 2) / 5 + 1
        let month = (monthSinceMarch + 2) % 12
        let year = era * 400 + yearOfEra + (month < 2 ? 1 : 0)
        let clock = [second / 3_600, second / 60 % 60, second % 60].map(twoDigits).joined(separator: ":")
        return "\(weekdays[days % 7]), \(twoDigits(day)) \(months[month]) \(year) \(clock) GMT"
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
