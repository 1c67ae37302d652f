internal import KeyturnBase

/// The bytes of a file from its beginning, piece by piece; an empty piece ends it.
package typealias TransferSource = () throws -> [UInt8]

/// Reads the lines of a file. What it gave is what was written when it gave `nil`: then the number of rows and the
/// digest were compared.
struct TransferReader {
    let head: TransferHead
    let layouts: [String: TransferLayout]
    /// Of the lines before the last, when the end is reached.
    private(set) var digestText = ""
    private(set) var rows: [String: Int] = [:]

    private var lines: TransferLines
    private var digest: any TransferDigest
    private var number = 1

    /// Reads the head.
    ///
    /// - Parameters:
    ///   - digest: of nothing yet.
    ///   - database: whose tables the rows are for.
    /// - Throws: ``TransferProblem``, and what the source throws.
    init(
        _ source: @escaping TransferSource, _ digest: any TransferDigest, for database: any WholeDatabase
    ) throws {
        self.digest = digest
        lines = TransferLines(source)
        guard let line = try lines.next() else { throw TransferProblem.notAnExport }
        head = try TransferHead(line)
        guard head.schema <= Migrations.newest else {
            throw TransferProblem.newerSchema(head.schema, newest: Migrations.newest, release: head.release)
        }
        layouts = try Self.layouts(head, database)
        self.digest.update(line + [TransferFormat.lineFeed])
    }

    /// Columns that this release has and the file does not get their default.
    private static func layouts(
        _ head: TransferHead, _ database: any WholeDatabase
    ) throws -> [String: TransferLayout] {
        var result: [String: TransferLayout] = [:]
        for (name, columns) in head.tables {
            guard let table = TransferTable.all.first(where: { $0.name == name }) else {
                throw TransferProblem.unknown("the table \(name)")
            }
            let known = try TransferLayout.layout(of: table, in: database).columns
            result[name] = TransferLayout(
                table,
                try columns.map { column in
                    guard let found = known.first(where: { $0.name == column }) else {
                        throw TransferProblem.unknown("the column \(name).\(column)")
                    }
                    return found
                })
        }
        return result
    }

    /// The next row with its table's layout; `nil` at the end.
    mutating func next() throws -> (row: TransferRow, layout: TransferLayout)? {
        guard let line = try lines.next() else { throw TransferProblem.cut }
        number += 1
        guard let json = try? JSONValue(parsing: line, limits: TransferFormat.lineLimits) else {
            throw lines.isAtEnd ? TransferProblem.cut : TransferProblem.damaged(line: number)
        }
        if let foot = TransferFoot(json) {
            try compare(foot)
            return nil
        }
        digest.update(line + [TransferFormat.lineFeed])
        guard let name = json["table"]?.stringValue, let layout = layouts[name],
            let row = TransferFormat.row(json, layout)
        else { throw TransferProblem.damaged(line: number) }
        rows[name, default: 0] += 1
        return (row, layout)
    }

    private mutating func compare(_ foot: TransferFoot) throws {
        digestText = Base16.encode(digest.value)
        guard foot.rows.filter({ $0.value > 0 }) == rows, foot.digest == digestText else {
            throw TransferProblem.changed
        }
        guard try lines.next() == nil else { throw TransferProblem.extended }
    }
}

/// Cuts pieces into lines; a piece of the last one is held, and no more.
private struct TransferLines {
    private let source: TransferSource
    private var bytes: [UInt8] = []
    private var start = 0
    /// Whether the source has ended.
    private(set) var isAtEnd = false

    init(_ source: @escaping TransferSource) {
        self.source = source
    }

    /// The next line without its line feed; `nil` at the end.
    mutating func next() throws -> [UInt8]? {
        var searched = start
        while true {
            if let end = bytes[searched...].firstIndex(of: TransferFormat.lineFeed) {
                defer { start = end + 1 }
                return Array(bytes[start..<end])
            }
            guard bytes.count - start <= TransferFormat.lineBytesMax else { throw TransferProblem.notAnExport }
            searched = bytes.count - start
            bytes.removeFirst(start)
            start = 0
            let piece = isAtEnd ? [] : try source()
            guard !piece.isEmpty else {
                isAtEnd = true
                defer { bytes = [] }
                // A line without its line feed was cut.
                return bytes.isEmpty ? nil : bytes
            }
            bytes += piece
        }
    }
}
