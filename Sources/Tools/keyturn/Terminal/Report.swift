internal import Foundation
internal import KeyturnBase

/// How commands print: a table for people, JSON for programs.
enum Report {
    static func json(_ value: JSONValue) {
        print(String(decoding: value.serialized, as: UTF8.self))
    }

    /// Columns as wide as they must be, the last one as long as it is.
    static func table(_ header: [String], _ rows: [[String]]) {
        let all = [header] + rows
        let widths = header.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        for row in all {
            let cells = row.enumerated().map { column, text in
                column == row.count - 1 ? text : text.padding(toLength: widths[column], withPad: " ", startingAt: 0)
            }
            print(cells.joined(separator: "  "))
        }
    }

    /// What is known about a user, one line each. Users chose the values: they must not move the cursor.
    static func members(_ members: [String: JSONValue], prefix: String = "") {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let text = value.stringValue ?? String(decoding: value.serialized, as: UTF8.self)
            print("  \(prefix)\(Printable.text(name)): \(Printable.text(text))")
        }
    }

    /// A moment as people write it, in UTC.
    static func text(_ time: UnixTime) -> String {
        Date(timeIntervalSince1970: TimeInterval(time.rawValue)).formatted(.iso8601)
    }
}
