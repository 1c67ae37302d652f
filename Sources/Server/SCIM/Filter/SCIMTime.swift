internal import Foundation
package import KeyturnBase

/// Moments as SCIM writes them (RFC 7643 §2.3.5).
package enum SCIMTime {
    /// In UTC, to the second.
    package static func text(_ time: UnixTime) -> String {
        time.date.formatted(Date.ISO8601FormatStyle(timeZone: .gmt))
    }

    /// Reads a moment with a zone, with or without a fraction of a second, which is cut off.
    package static func read(_ text: String) -> UnixTime? {
        guard text.utf8.count <= 40 else { return nil }
        let whole = Date.ISO8601FormatStyle(timeZone: .gmt)
        let style = text.contains(".") ? Date.ISO8601FormatStyle(includingFractionalSeconds: true) : whole
        guard let date = try? Date(text, strategy: style) else { return nil }
        return UnixTime(rawValue: Int64(date.timeIntervalSince1970.rounded(.down)))
    }
}
