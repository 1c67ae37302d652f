internal import Foundation
internal import GRDB
internal import Model

/// All rows of a file of SQLite.
final class SQLiteWholeDatabase: WholeDatabase {
    let database: Database
    /// Changes when another connection commits.
    private var dataVersion: Int64 = 0

    var session: SQLSession { SQLSession(database) }
    /// SQLite's own limit is 32,766; with longer statements it is slower.
    let parametersMax = 1_000

    private init(_ database: Database) {
        self.database = database
    }

    /// Opens a file that is there, and changes nothing.
    ///
    /// - Throws: ``OpenProblem``, and what `body` throws.
    static func read<Value>(_ path: String, _ body: (SQLiteWholeDatabase) throws -> Value) throws -> Value {
        guard FileManager.default.fileExists(atPath: path) else { throw OpenProblem.noFile(path: path) }
        let queue = try opened(path) { try SQLiteDatabase.unchanged(path) }
        defer { try? queue.close() }
        return try queue.unsafeRead { try body(SQLiteWholeDatabase($0)) }
    }

    /// Opens a file, and makes an empty one if there is none.
    ///
    /// - Throws: as ``read(_:_:)``.
    static func write<Value>(_ path: String, _ body: (SQLiteWholeDatabase) throws -> Value) throws -> Value {
        try SQLiteDatabase.makeFile(path)
        var configuration = Configuration()
        configuration.busyMode = .timeout(5)
        let queue = try opened(path) { try DatabaseQueue(path: path, configuration: configuration) }
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction { database in
            // A power cut may undo the last batches, which are then copied again: see finish(). Indexes are written in
            // any order: with 64 MiB each in memory and in the log, a page is written once for many rows.
            try database.execute(
                sql: """
                    PRAGMA temp_store = MEMORY; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -65536;
                    PRAGMA wal_autocheckpoint = 16384
                    """)
            return try body(SQLiteWholeDatabase(database))
        }
    }

    private static func opened(_ path: String, _ open: () throws -> DatabaseQueue) throws -> DatabaseQueue {
        do {
            return try open()
        } catch {
            throw SQLiteDatabase.problem(error, path: path)
        }
    }

    func schema() throws -> SchemaState {
        try Self.state(Migrations.version(of: database).number, newest: Migrations.newest)
    }

    /// The same for who takes the file as it is: also one of a later release beside which this one may go on.
    func schemaOfFile() throws -> SchemaState {
        let version = try Migrations.version(of: database)
        let isUsable = version.oldest <= Migrations.newest
        return try Self.state(version.number, newest: isUsable ? abs(version.number) : Migrations.newest)
    }

    func makeSchema() throws {
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        try Migrations.apply(to: database)
    }

    func setUnfinished(_ isUnfinished: Bool) throws {
        let number = abs(try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0)
        try database.execute(sql: "PRAGMA user_version = \(isUnfinished ? -number : number)")
    }

    /// Where the upkeep is, is a place in this engine's tables.
    func tables() throws -> [String] {
        try String.fetchAll(
            database,
            sql: """
                SELECT name FROM sqlite_master
                WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'upkeep'
                """)
    }

    func columns(of table: String) throws -> [(name: String, type: SQLType?)] {
        let types: [String: SQLType] = ["INTEGER": .integer, "TEXT": .text, "BLOB": .bytes]
        return try Row.fetchAll(database, sql: "PRAGMA table_info(\"\(table)\")").map {
            ($0["name"], types[$0["type"]])
        }
    }

    /// SQLite's interface would cut a text at its first zero byte.
    func bytes(ofText column: String) -> String { "CAST(\(column) AS BLOB)" }

    func transaction(_ body: () throws -> Void) throws {
        try database.inTransaction(.immediate) {
            try body()
            return .commit
        }
    }

    func beginSnapshot() throws {
        try database.execute(sql: "BEGIN DEFERRED")
        // The first read takes the snapshot.
        _ = try Row.fetchOne(database, sql: "SELECT 1 FROM sqlite_master")
        dataVersion = try Int64.fetchOne(database, sql: "PRAGMA data_version") ?? 0
    }

    func endSnapshot() {
        if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
    }

    func hasChanged(_ tables: [String]) throws -> Bool {
        endSnapshot()
        return try Int64.fetchOne(database, sql: "PRAGMA data_version") != dataVersion
    }

    func lastNumber(of column: String, in table: String) throws -> Int64 {
        let used = try Int64.fetchOne(
            database, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [table])
        let highest = try Int64.fetchOne(database, sql: "SELECT max(\"\(column)\") FROM \"\(table)\"")
        return max(used ?? 0, highest ?? 0)
    }

    /// A table without AUTOINCREMENT goes on behind its last row by itself.
    func setLastNumber(_ number: Int64, of column: String, in table: String) throws {
        let definition = try String.fetchOne(
            database, sql: "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", arguments: [table])
        guard definition?.contains("AUTOINCREMENT") == true else { return }
        try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = ?", arguments: [table])
        try database.execute(
            sql: "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", arguments: [table, number])
    }

    func finish() throws {
        // The last commit then syncs the log, with all batches before it.
        try database.execute(sql: "PRAGMA synchronous = FULL")
    }

    func reason(of error: any Error) -> String? {
        guard let error = (error as? StoreError)?.cause as? DatabaseError ?? error as? DatabaseError else { return nil }
        return "SQLite says \(error.resultCode): \(error.message ?? "no reason given")"
    }
}
