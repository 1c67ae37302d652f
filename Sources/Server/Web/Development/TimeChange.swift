internal import Foundation
internal import KeyturnBase

/// How a developer wants the clock moved.
enum TimeChange: Hashable, Sendable {
    /// By so many seconds.
    case advance(Int64)
    /// To this moment.
    case at(UnixTime)

    /// The text is not understood; what to send instead.
    struct Problem: Error, Hashable {
        let hint: String
    }

    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    static let advanceHint = "advance is a number of seconds, or a text such as 90s, 15m, 3h, 2d or 1w"
    private static let atHint = "at is a number of seconds since 1970, or a text such as 2030-01-31T12:00:00Z"
    private static let bodyHint = #"send {"advance": "3d"}, or {"at": "2030-01-31T12:00:00Z"}"#

    /// Reads `{"advance": …}` or `{"at": …}`.
    init(_ json: JSONValue?) throws(Problem) {
        guard let members = json?.objectValue, members.count == 1,
            let (name, value) = members.first
        else { throw Problem(hint: Self.bodyHint) }
        switch (name, value) {
        case ("advance", .integer(let seconds)): self = .advance(seconds)
        case ("advance", .string(let text)): try self.init(advance: text)
        case ("advance", _): throw Problem(hint: Self.advanceHint)
        case ("at", .integer(let seconds)): self = .at(UnixTime(rawValue: seconds))
        case ("at", .string(let text)):
            guard let date = try? Date(text, strategy: .iso8601) else { throw Problem(hint: Self.atHint) }
            self = .at(UnixTime(rawValue: Int64(date.timeIntervalSince1970.rounded(.down))))
        case ("at", _): throw Problem(hint: Self.atHint)
        default: throw Problem(hint: Self.bodyHint)
        }
    }

    /// Reads a span of time such as `3d`; digits alone are seconds.
    init(advance text: String) throws(Problem) {
        let unit = text.last.flatMap { Self.units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard (1...10).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int64(digits)
        else { throw Problem(hint: Self.advanceHint) }
        self = .advance(count * (unit ?? 1))
    }
}
