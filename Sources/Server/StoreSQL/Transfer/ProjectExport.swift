internal import Foundation
package import KeyturnBase
package import Model

/// Writes everything that belongs to a project as lines that ``ProjectImport`` takes into another database, as of one
/// moment. Servers go on meanwhile.
package struct ProjectExport {
    /// What goes along beside the rest.
    package struct Options: Sendable {
        /// Whatever lets in or signs: only into a file that is encrypted.
        package var withSecrets: Bool
        package var withSessions: Bool
        package var withSigningKeys: Bool

        package init(withSecrets: Bool, withSessions: Bool = false, withSigningKeys: Bool = false) {
            precondition(withSecrets || !withSessions && !withSigningKeys, "sessions and keys are secrets")
            (self.withSecrets, self.withSessions) = (withSecrets, withSessions)
            self.withSigningKeys = withSigningKeys
        }
    }

    private let source: DatabaseSide
    private let secrets: ServerSecrets
    private let options: Options
    private let release: String
    private let digest: any TransferDigest
    private let ambient: Ambient
    private let onProgress: (TransferProgress) throws -> Void

    /// - Parameters:
    ///   - release: the program's, for the head.
    ///   - digest: of nothing yet.
    ///   - onProgress: what it throws ends the export there.
    package init(
        of source: DatabaseSide, secrets: ServerSecrets, options: Options, release: String,
        digest: any TransferDigest, ambient: Ambient,
        onProgress: @escaping (TransferProgress) throws -> Void
    ) {
        (self.source, self.secrets, self.options, self.release) = (source, secrets, options, release)
        (self.digest, self.ambient, self.onProgress) = (digest, ambient, onProgress)
    }

    /// - Parameter output: gets the lines piece by piece.
    /// - Throws: ``TransferProblem``, and what `output` and `onProgress` throw.
    package func run(output: @escaping ([UInt8]) throws -> Void) throws -> TransferReport {
        do {
            return try source.read(.from) { database in
                try database.requireServers(.from)
                try database.answering(for: .from) { try database.beginSnapshot() }
                defer { database.endSnapshot() }
                return try database.answering(for: .from) { try run(database, output) }
            }
        } catch let problem as CopyProblem {
            throw TransferProblem(problem)
        }
    }

    private func run(_ database: any WholeDatabase, _ output: @escaping ([UInt8]) throws -> Void) throws
        -> TransferReport
    {
        let tables = TransferTable.all.filter { options.includes($0.need) }
        let layouts = try tables.map { try TransferLayout.layout(of: $0, in: database) }
        let total = try layouts.reduce(0) { sum, layout in
            sum + (try database.count(of: RowShape(layout.table.copied, database, database)))
        }
        var report = TransferReport(head: try head(layouts, database))
        var writer = Writer(digest, output: output)
        try writer.write(report.head.json.serialized)
        var done = 0
        for layout in layouts {
            let count = try write(layout, database, &writer, &report) { rows in
                done += rows
                try onProgress(TransferProgress(phase: .exporting, rows: done, total: total))
            }
            report.rows.append(TransferReport.TableRows(table: layout.table.name, rows: count))
        }
        report.digest = Base16.encode(writer.digest.value)
        let counts = Dictionary(report.rows.map { ($0.table, $0.rows) }) { first, _ in first }
        try writer.write(TransferFoot(rows: counts, digest: report.digest).json.serialized)
        try writer.flush()
        return report
    }

    private func head(_ layouts: [TransferLayout], _ database: any WholeDatabase) throws -> TransferHead {
        TransferHead(
            release: release, schema: Migrations.newest, madeAt: ambient.now(),
            project: try database.session.first("SELECT id FROM project", [])?["id"] ?? "",
            hasSecrets: options.withSecrets, hasSessions: options.withSessions,
            hasSigningKeys: options.withSigningKeys, keys: options.withSecrets ? secrets.keyedIDs : [:],
            tables: Dictionary(layouts.map { ($0.table.name, $0.columns.map(\.name)) }) { first, _ in first })
    }

    /// - Returns: how many rows were written.
    private func write(
        _ layout: TransferLayout, _ database: any WholeDatabase, _ writer: inout Writer,
        _ report: inout TransferReport, onRows: (Int) throws -> Void
    ) throws -> Int {
        let shape = try RowShape(layout.table.copied, database, database)
        let all = TransferLayout(layout.table, shape.columns)
        let places = layout.columns.map { all.place($0.name) }
        let seals = TransferSeals(secrets, ambient: ambient)
        var pages = RowPages(shape, database, after: nil, pageRows: CopyLimits.batchRowsMax)
        var count = 0
        while true {
            let page = try pages.nextPage()
            guard !page.isEmpty else { return count }
            for copied in page {
                let whole = TransferRow(values: copied.values)
                guard layout.table.condition?.holds(for: whole, all) ?? true else { continue }
                let row = TransferRow(values: places.map { $0.map { copied.values[$0] } ?? .null })
                guard let opened = seals.opened(row, layout) else {
                    report.unreadable[layout.table.name, default: 0] += 1
                    continue
                }
                if layout.table.need == .signingKeys {
                    guard isOfUse(opened, layout) else { continue }
                    guard !isElsewhere(opened, layout) else {
                        report.keysElsewhere += 1
                        continue
                    }
                }
                try writer.write(TransferFormat.line(stripped(opened, layout), layout))
                count += 1
            }
            try onRows(page.count)
        }
    }

    /// Without what lets in, if that is not to go along.
    private func stripped(_ row: TransferRow, _ layout: TransferLayout) -> TransferRow {
        guard !options.withSecrets else { return row }
        var result = row
        for (place, column) in layout.columns.enumerated() {
            switch layout.table.columns[column.name] {
            // The digests of a client stand one behind the other: none is an empty text.
            case .secret: result.values[place] = column.name == "secret_digests" ? .bytes(.init()) : .null
            case .keyed: result.values[place] = .null
            default: continue
            }
        }
        return result
    }

    /// Whether a key has signed something that may still be good.
    private func isOfUse(_ row: TransferRow, _ layout: TransferLayout) -> Bool {
        let now = ambient.now().rawValue
        guard let begins = row["activates_at", layout].number, let ends = row["removed_at", layout].number else {
            return false
        }
        return begins <= now && now < ends
    }

    /// A key in DER begins otherwise than the address of one that a token keeps.
    private func isElsewhere(_ row: TransferRow, _ layout: TransferLayout) -> Bool {
        guard case .bytes(let key) = row["sealed", layout] else { return false }
        return key.first == UInt8(ascii: "p")
    }

    /// Gathers lines into pieces.
    private struct Writer {
        let output: ([UInt8]) throws -> Void
        private(set) var digest: any TransferDigest
        private var waiting: [UInt8] = []

        private static let pieceBytes = 65_536

        init(_ digest: any TransferDigest, output: @escaping ([UInt8]) throws -> Void) {
            (self.digest, self.output) = (digest, output)
        }

        mutating func write(_ line: [UInt8]) throws {
            let line = line + [TransferFormat.lineFeed]
            digest.update(line)
            waiting += line
            if waiting.count >= Self.pieceBytes { try flush() }
        }

        mutating func flush() throws {
            try output(waiting)
            waiting = []
        }
    }
}

extension ProjectExport.Options {
    func includes(_ need: TransferTable.Need) -> Bool {
        switch need {
        case .always: true
        case .secrets: withSecrets
        case .sessions: withSessions
        case .signingKeys: withSigningKeys
        }
    }
}
