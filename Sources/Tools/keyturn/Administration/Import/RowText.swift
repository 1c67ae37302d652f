internal import Foundation
internal import KeyturnBase

/// Reads texts and truth values of a row.
enum RowText {
    static func expected(_ name: String, _ what: String) -> Refusal {
        Refusal("\(name): expected \(what)", "Correct it, or leave it out.")
    }

    static func plain(_ name: String, _ value: JSONValue) throws(Refusal) -> String {
        guard let text = value.stringValue else { throw expected(name, "text") }
        return text
    }

    static func boolean(_ name: String, _ value: JSONValue) throws(Refusal) -> Bool {
        guard let flag = value.boolValue else { throw expected(name, "true or false") }
        return flag
    }

    /// Text without control characters, of bounded length, that keeps `rule`.
    static func checked(_ name: String, _ value: JSONValue, _ rule: (String) -> Refusal? = { _ in nil })
        throws(Refusal) -> String
    {
        let text = try plain(name, value)
        let flaw =
            isPlain(text) ? rule(text) : TextRules.length(text, bytesMax: ImportLimits.textBytesMax) ?? rule(text)
        if let flaw { throw Refusal("\(name): \(flaw.detail)", flaw.remedy) }
        return text
    }

    /// Short and printable ASCII, as nearly all texts are: nothing more to look up.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.count <= ImportLimits.textBytesMax && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}

/// Reads moments of a row.
enum RowTime {
    /// The last second of the year 9999.
    private static let last: Int64 = 253_402_300_799

    /// Seconds since 1970, or a text such as 2026-03-01T12:00:00Z.
    static func read(_ name: String, _ value: JSONValue) throws(Refusal) -> UnixTime {
        if let seconds = value.integerValue ?? value.stringValue.flatMap({ Int64($0) }) {
            guard (0...last).contains(seconds) else {
                throw Refusal("\(name): it is out of bounds", "Write whole seconds since 1970, not milliseconds.")
            }
            // No user was created after the year 5000: these are milliseconds.
            guard seconds < 100_000_000_000 else {
                throw Refusal("\(name): it looks like milliseconds", "Divide it by 1000.")
            }
            return UnixTime(rawValue: seconds)
        }
        guard let text = value.stringValue, let date = date(text) else {
            throw Refusal("\(name): it is no time", "Write seconds since 1970, or 2026-03-01T12:00:00Z.")
        }
        return UnixTime(rawValue: Int64(date.timeIntervalSince1970.rounded(.down)))
    }

    /// RFC 3339; fractions of a second are dropped.
    private static func date(_ text: String) -> Date? {
        guard text.utf8.count <= 40 else { return nil }
        var text = text.replacing(" ", with: "T", maxReplacements: 1)
        if let dot = text.firstIndex(of: ".") {
            let end = text[dot...].dropFirst().firstIndex { !$0.isNumber } ?? text.endIndex
            text.removeSubrange(dot..<end)
        }
        return try? Date(text, strategy: .iso8601)
    }
}
