import Crypto
import Foundation
import GRDB
import KeyturnBase
import Model

@testable import StoreSQL

/// An export in memory, which tests change.
final class TransferFile {
    var lines: [String] = []

    var bytes: [UInt8] { Array(lines.map { "\($0)\n" }.joined().utf8) }
    var rows: [String] { Array(lines.dropFirst().dropLast()) }

    init(_ lines: [String] = []) {
        self.lines = lines
    }

    /// Gives the bytes in small pieces.
    func open() -> TransferSource { Self.source(bytes) }

    static func source(_ bytes: [UInt8]) -> TransferSource {
        var position = 0
        return {
            let end = min(position + 1_000, bytes.count)
            defer { position = end }
            return Array(bytes[position..<end])
        }
    }

    /// Replaces lines, and makes the end fit again.
    func rewrite(_ change: (String) -> String?) throws {
        lines = (lines.dropLast().compactMap(change)) + [""]
        try seal()
    }

    /// Makes the end fit the lines before it.
    func seal() throws {
        var counts: [String: Int] = [:]
        for line in rows {
            let json = try JSONValue(parsing: line.utf8, limits: TransferFormat.lineLimits)
            counts[json["table"]?.stringValue ?? "?", default: 0] += 1
        }
        let text = lines.dropLast().map { "\($0)\n" }.joined()
        let foot = TransferFoot(rows: counts, digest: Base16.encode(SHA256.hash(data: Data(text.utf8))))
        lines[lines.count - 1] = String(decoding: foot.json.serialized, as: UTF8.self)
    }
}

extension DatabaseSide {
    func export(
        _ secrets: ServerSecrets, _ options: ProjectExport.Options = .init(withSecrets: true)
    ) throws -> (file: TransferFile, report: TransferReport) {
        var bytes: [UInt8] = []
        let report = try ProjectExport(
            of: self, secrets: secrets, options: options, release: "0.0.0", digest: LineDigest(), ambient: .live
        ) { _ in }.run { bytes += $0 }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        return (TransferFile(lines), report)
    }

    @discardableResult
    func take(
        _ file: TransferFile, _ secrets: ServerSecrets, _ options: ProjectImport.Options = .init(),
        onProgress: @escaping (TransferProgress) throws -> Void = { _ in }
    ) throws -> TransferReport {
        try work(secrets, options, onProgress).run(file.open) { report in
            AuditEvent(
                .projectImported, at: UnixTime(rawValue: 5), actor: "operator:test", target: report.head.project)
        }
    }

    func tryOut(
        _ file: TransferFile, _ secrets: ServerSecrets, _ options: ProjectImport.Options = .init()
    ) throws -> TransferReport {
        try work(secrets, options) { _ in }.tryOut(file.open)
    }

    private func work(
        _ secrets: ServerSecrets, _ options: ProjectImport.Options,
        _ onProgress: @escaping (TransferProgress) throws -> Void
    ) -> ProjectImport {
        ProjectImport(
            into: self, secrets: secrets, options: options, digest: LineDigest(), ambient: .live, onProgress: onProgress
        )
    }
}

struct LineDigest: TransferDigest {
    private var hash = SHA256()

    mutating func update(_ bytes: [UInt8]) { hash.update(data: bytes) }
    var value: [UInt8] { Array(hash.finalize()) }
}

extension ServerSecrets {
    static func made() throws -> ServerSecrets { ServerSecrets([random(.live)])! }
}

extension FilledDatabase {
    /// A database with rows that a server with these secrets could have written.
    convenience init(rows: Int, sealedWith secrets: ServerSecrets) throws {
        try self.init(rows: rows)
        try write { db in
            try db.execute(
                sql: """
                    UPDATE authenticator SET confirmed = 1, sign_up = NULL, facts = NULL, grant_id = NULL,
                        session_id = NULL;
                    UPDATE client SET from_configuration = 0; UPDATE data_key SET name = NULL;
                    UPDATE site_user SET username_digest = NULL;
                    UPDATE signing_key SET activates_at = 5, retires_at = 7, removed_at = 9000000000000
                    """)
        }
        try side.write(.to) { database in
            for table in TransferTable.all where table.columns.values.contains(where: \.isSealed) {
                let layout = try TransferLayout.layout(of: table, in: database)
                let shape = try RowShape(table.copied, database, database)
                var pages = RowPages(shape, database, after: nil, pageRows: 1_000)
                let whole = TransferLayout(table, shape.columns)
                for copied in try pages.nextPage() {
                    let row = TransferRow(values: layout.columns.map { copied.values[whole.place($0.name)!] })
                    let sealed = TransferSeals(secrets, ambient: .live).sealed(row, layout)!
                    for column in layout.columns where table.columns[column.name]?.isSealed == true {
                        let value = sealed[column.name, layout]
                        try database.session.run(
                            "UPDATE \(table.name) SET \(column.name) = ? WHERE id = ?",
                            [column.parameter(value)] + sealed.parameters(["id"], layout))
                    }
                }
            }
        }
    }

    /// A database of a server that was just started: it has a schema, and no rows.
    func fresh(_ name: String) throws -> DatabaseSide {
        let path = target(name)
        try SQLiteDatabase(path: path).close()
        return .sqlite(path: path)
    }

    func change(_ side: DatabaseSide, _ sql: String) throws {
        guard case .sqlite(let path) = side else { return }
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    func contents(_ side: DatabaseSide) throws -> [String: [[DatabaseValue]]] {
        guard case .sqlite(let path) = side else { return [:] }
        return try FilledDatabase.contents(of: path)
    }
}

extension TransferColumn {
    var isSealed: Bool {
        if case .sealed = self { true } else { false }
    }
}
