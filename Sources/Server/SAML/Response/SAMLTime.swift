package import KeyturnBase

/// Times of messages: `xs:dateTime` in UTC, with any number of digits after the seconds.
package enum SAMLTime {
    /// - Throws: ``SAMLFault`` for anything else: no zone, an offset, a day or a leap second that do not exist.
    package static func read(_ text: String) throws(SAMLFault) -> UnixTime {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40, bytes.last == UInt8(ascii: "Z"),
            bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
            bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19]), isFraction(bytes[19..<(bytes.count - 1)]),
            (1970...9998).contains(year), (1...12).contains(month), hour < 24, minute < 60, second < 60,
            (1...days(of: month, in: year)).contains(day)
        else { throw SAMLFault("time") }
        let total = daysFromEpoch(year, month, day) * 86_400 + Int64(hour * 3_600 + minute * 60 + second)
        return UnixTime(rawValue: total)
    }

    /// Writes a time, to the second.
    package static func text(_ time: UnixTime) -> String {
        var (year, remaining) = (1970, time.rawValue / 86_400)
        while remaining >= Int64(isLeap(year) ? 366 : 365) {
            remaining -= isLeap(year) ? 366 : 365
            year += 1
        }
        var month = 1
        while remaining >= Int64(days(of: month, in: year)) {
            remaining -= Int64(days(of: month, in: year))
            month += 1
        }
        let second = Int(time.rawValue % 86_400)
        let parts = [month, Int(remaining) + 1, second / 3_600, second / 60 % 60, second % 60].map {
            $0 < 10 ? "0\($0)" : "\($0)"
        }
        return "\(year)-\(parts[0])-\(parts[1])T\(parts[2]):\(parts[3]):\(parts[4])Z"
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(into: Optional(0)) { result, digit in
            guard (0x30...0x39).contains(digit), let value = result else { return result = nil }
            result = value * 10 + Int(digit - 0x30)
        }
    }

    private static func isFraction(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first else { return true }
        return first == UInt8(ascii: ".") && bytes.count > 1 && number(bytes.dropFirst().prefix(15)) != nil
            && bytes.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
    }

    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    private static func days(of month: Int, in year: Int) -> Int {
        [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    }

    private static func daysFromEpoch(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let past = year - 1
        let leapDays = past / 4 - past / 100 + past / 400 - 477
        let months = (1..<month).reduce(0) { $0 + days(of: $1, in: year) }
        return Int64((year - 1970) * 365 + leapDays + months + day - 1)
    }
}
