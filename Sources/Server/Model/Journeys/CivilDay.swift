public import KeyturnBase

/// A day of the Gregorian calendar.
public struct CivilDay: Hashable, Comparable, Sendable {
    let year: Int
    let month: Int
    let day: Int

    /// Reads `2026-11-24`; `nil`: there is no such day.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == [4, 2, 2], parts.joined().utf8.allSatisfy({ (48...57).contains($0) }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]), year >= 1900,
            (1...12).contains(month), (1...Self.days(of: month, in: year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// The day of a moment, by UTC.
    public init(of time: UnixTime) {
        // Counted in 400 years from 1 March of year 0, so that the day that leap years add is the last of a year.
        let days = Int(time.rawValue >= 0 ? time.rawValue / 86_400 : (time.rawValue - 86_399) / 86_400) + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    private static func days(of month: Int, in year: Int) -> Int {
        let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
        return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    public static func < (left: CivilDay, right: CivilDay) -> Bool {
        (left.year, left.month, left.day) < (right.year, right.month, right.day)
    }

    /// Whole years.
    func years(until later: CivilDay) -> Int {
        later.year - year - ((later.month, later.day) < (month, day) ? 1 : 0)
    }
}
