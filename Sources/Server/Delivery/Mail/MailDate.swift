internal import KeyturnBase

/// A moment as mails write it (RFC 5322 §3.3), in UTC and in no language.
enum MailDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Such as `Sat, 21 Nov 2026 09:57:09 +0000`. Moments before 1970 are written as its first.
    static func text(_ time: UnixTime) -> String {
        let seconds = max(0, time.rawValue)
        let (day, rest) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        let clock = [rest / 3_600, rest / 60 % 60, rest % 60].map(two).joined(separator: ":")
        return "\(days[Int(day % 7)]), \(two(dayOfMonth)) \(months[Int(month) - 1]) \(year) \(clock) +0000"
    }

    /// The Gregorian date of a day since 1970-01-01. Years begin in March here, so that a leap day is their last.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }

    private static func two(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
