internal import ArgumentParser
internal import Foundation
internal import KeyturnBase

/// A time as an operator writes it: so long ago, a day in UTC, or a moment.
enum AuditTime: Hashable, Sendable, ExpressibleByArgument {
    case ago(seconds: Int64)
    /// The first second of a day.
    case day(UnixTime)
    case moment(UnixTime)

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]

    private static let days = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()

    init?(argument: String) {
        if let unit = argument.last.flatMap({ Self.units[$0] }), let count = UInt32(argument.dropLast()) {
            self = .ago(seconds: Int64(count) * unit)
        } else if let date = try? Date(argument, strategy: .iso8601) {
            self = .moment(UnixTime(rawValue: Int64(date.timeIntervalSince1970.rounded(.down))))
        } else if let date = try? Date(argument, strategy: Self.days), date.formatted(Self.days) == argument {
            self = .day(UnixTime(rawValue: Int64(date.timeIntervalSince1970)))
        } else {
            return nil
        }
    }

    /// The first second that it means.
    func first(at now: UnixTime) -> UnixTime {
        switch self {
        case .ago(let seconds): UnixTime(rawValue: now.rawValue - seconds)
        case .day(let time), .moment(let time): time
        }
    }

    /// The last second that it means.
    func last(at now: UnixTime) -> UnixTime {
        guard case .day(let time) = self else { return first(at: now) }
        return time + 86_399
    }
}
