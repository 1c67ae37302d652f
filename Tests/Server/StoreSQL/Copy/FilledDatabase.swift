import Foundation
import GRDB
import KeyturnBase

@testable import StoreSQL

/// A file of SQLite with rows in every table, made from the schema: each column has values that are easily spoilt on
/// the way, such as empty and composed texts, bytes of every value, the largest numbers, and nulls where they may be.
final class FilledDatabase: Sendable {
    let folder: URL
    let path: String
    var side: DatabaseSide { .sqlite(path: path) }

    /// - Parameter rows: of each table, but those that have one.
    init(rows: Int) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("copy-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("full.db").path
        try SQLiteDatabase(path: path).close()
        let tables = try queue().read { db in try CopiedTable.all.map { try Filling($0, db) } }
        try write { db in
            for table in tables { try table.fill(db, rows: rows, all: tables) }
            try db.execute(sql: "UPDATE revision SET number = 4711")
            // Numbers that were given and are free again: they must not be given twice.
            for table in ["audit_event", "message", "ping_notice"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE number = (SELECT max(number) FROM \(table))")
            }
        }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func queue() throws -> DatabaseQueue { try DatabaseQueue(path: path) }

    func write(_ body: (Database) throws -> Void) throws {
        let queue = try queue()
        try queue.write(body)
        try queue.close()
    }

    /// A file that is not there yet.
    func target(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// Every value of every row, and the numbers that tables give next, read without the code under test.
    static func contents(of path: String) throws -> [String: [[DatabaseValue]]] {
        try DatabaseQueue(path: path).read { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%'")
            return try Dictionary(
                uniqueKeysWithValues: tables.map { table in
                    let columns = table == "user" ? "rowid, *" : "*"
                    let rows = try Row.fetchAll(db, sql: "SELECT \(columns) FROM \"\(table)\"")
                    return (table, rows.map { Array($0.databaseValues) }.sorted { "\($0)" < "\($1)" })
                })
        }
    }
}

/// How one table is filled.
private struct Filling {
    let table: CopiedTable
    private var columns: [(name: String, type: String, isRequired: Bool)] = []
    private var unique: Set<String> = []
    /// The table and the column that a column refers to.
    private var references: [String: (table: String, column: String)] = [:]

    init(_ table: CopiedTable, _ db: Database) throws {
        self.table = table
        for row in try Row.fetchAll(db, sql: "PRAGMA table_info(\"\(table.name)\")") {
            let isKey = row["pk"] as Int > 0
            columns.append((row["name"], row["type"], row["notnull"] || isKey))
            if isKey { unique.insert(row["name"]) }
        }
        for index in try Row.fetchAll(db, sql: "PRAGMA index_list(\"\(table.name)\")") where index["unique"] {
            for row in try Row.fetchAll(db, sql: "PRAGMA index_info(\"\(index["name"] as String)\")") {
                if let name = row["name"] as String? { unique.insert(name) }
            }
        }
        for row in try Row.fetchAll(db, sql: "PRAGMA foreign_key_list(\"\(table.name)\")") {
            references[row["from"]] = (row["table"], row["to"])
        }
    }

    func fill(_ db: Database, rows: Int, all: [Filling]) throws {
        guard !table.hasFirstRow else { return }
        for row in 0..<(table.name == "project" ? 1 : rows) {
            var names = columns.map(\.name)
            var values = names.map { value($0, row, all) }
            if table.name == "user" {
                // In another order than the key.
                (names, values) = (names + ["rowid"], values + [Int64((rows - row) * 7).databaseValue])
            }
            let list = names.map { "\"\($0)\"" }.joined(separator: ", ")
            let places = names.map { _ in "?" }.joined(separator: ", ")
            try db.execute(
                sql: "INSERT INTO \"\(table.name)\" (\(list)) VALUES (\(places))", arguments: StatementArguments(values)
            )
        }
    }

    private func value(_ column: String, _ row: Int, _ all: [Filling]) -> DatabaseValue {
        if let value = special(column, row) { return value }
        guard let (_, type, isRequired) = columns.first(where: { $0.name == column }) else { return .null }
        if !isRequired, row % 3 == 1, !isChoice(column) { return .null }
        if let reference = references[column], let other = all.first(where: { $0.table.name == reference.table }) {
            return other.value(reference.column, row, all)
        }
        let isUnique = unique.contains(column)
        switch type {
        case "INTEGER":
            return (isUnique ? Int64(row * 3 + 1) : [0, -1, .max, .min, Int64(row)][row % 5]).databaseValue
        case "TEXT":
            let text = isUnique || row % 5 != 4 ? "\(column) \(row)" : ""
            return [text, text + " e\u{301}", text + " é", text + " \u{1F511}\t'\"\\", text][row % 5].databaseValue
        default:
            let all = Data((0...255).map { UInt8($0) })
            return
                (isUnique ? Data([UInt8(row % 256), 0, 0xFF]) + Data(column.utf8) : [Data(), all, Data([0])][row % 3])
                .databaseValue
        }
    }

    /// Exactly one of two columns has a value.
    private func isChoice(_ column: String) -> Bool {
        ["passkey", "promotion"].contains(table.name)
            && ["user_id", "site_user_id", "key_id", "session_grant"].contains(column)
    }

    private func special(_ column: String, _ row: Int) -> DatabaseValue? {
        switch (table.name, column) {
        case ("project", "only"): 1.databaseValue
        // Its addresses are in an index.
        case ("user", "claims"):
            ["{}", #"{"name":"e\u0301 \uD83D\uDD11\t'\"\\"}"#, #"{"email":"é\#(row)@example.com"}"#][row % 3]
                .databaseValue
        case ("passkey", "user_id") where row % 2 == 0: .null
        case ("passkey", "site_user_id") where row % 2 == 1: .null
        case ("promotion", "key_id") where row % 2 == 0: .null
        case ("promotion", "session_grant") where row % 2 == 1: .null
        default: nil
        }
    }
}
