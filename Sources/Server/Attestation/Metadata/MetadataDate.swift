internal import KeyturnBase

/// A day as metadata writes it: `2026-03-01`, in UTC.
struct MetadataDate {
    /// When the day begins.
    let start: UnixTime

    /// `nil` unless it is a day that exists.
    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.map(\.count) == [4, 2, 2], text.utf8.count == 10, let year = Int64(parts[0]),
            let month = Int64(parts[1]), let day = Int64(parts[2]), (1970...9999).contains(year),
            (1...12).contains(month)
        else { return nil }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...lengths[Int(month - 1)]).contains(day) else { return nil }
        let past = year - 1
        let leapDays = past / 4 - past / 100 + past / 400 - 477  // 477 of them before 1970
        let days = (year - 1970) * 365 + leapDays + lengths[..<Int(month - 1)].reduce(0, +) + day - 1
        start = UnixTime(rawValue: days * 86_400)
    }

    /// When the next day begins.
    var end: UnixTime { start + 86_400 }
}
