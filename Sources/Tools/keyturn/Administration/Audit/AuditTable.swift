internal import KeyturnBase
internal import Model

/// Audit events as lines of a table. Later lines keep the columns of the first ones.
struct AuditTable {
    private static let titles = ["TIME", "ACTION", "USER", "BY", "CLIENT", "FROM", "DETAIL"]
    /// Wide enough for most of what may follow.
    private static let widthsMin = [20, 22, 24, 16, 12, 15, 6]
    private let widths: [Int]

    init(_ records: [AuditRecord]) {
        let rows = records.map(Self.cells)
        widths = Self.titles.indices.map { column in
            rows.map { $0[column].count }.max().map { max($0, Self.titles[column].count) } ?? Self.widthsMin[column]
        }
    }

    var header: String { line(Self.titles) }

    func lines(_ records: [AuditRecord]) -> String {
        records.map { line(Self.cells($0)) + Self.changes($0) }.joined()
    }

    /// Under the event, a line for each field.
    private static func changes(_ record: AuditRecord) -> String {
        guard let changes = record.event.changes else {
            return record.changesDigest == nil ? "" : "    (the values went with the user)\n"
        }
        return changes.list.map { change in
            "    \(Printable.text(change.field)): \(value(change.before)) -> \(value(change.after))\n"
        }.joined()
    }

    private static func value(_ text: String?) -> String { text.map(Printable.text) ?? "-" }

    private func line(_ cells: [String]) -> String {
        let padded = zip(cells.dropLast(), widths).map { cell, width in
            cell + String(repeating: " ", count: max(0, width - cell.count))
        }
        return (padded + cells.suffix(1)).joined(separator: "  ") + "\n"
    }

    /// Users and clients chose some of these texts: they must not move the cursor.
    private static func cells(_ record: AuditRecord) -> [String] {
        let event = record.event
        let detail = [event.target, event.reason].compactMap(\.self).joined(separator: ", ")
        let texts = [
            Report.text(event.at), event.kind.rawValue, record.loginIDs.first ?? event.userID?.rawValue,
            event.actor, event.clientID, event.address, detail,
        ]
        return texts.map { text in text.flatMap { $0.isEmpty ? nil : Printable.text($0) } ?? "-" }
    }
}
