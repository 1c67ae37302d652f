internal import Foundation
internal import GRDB
internal import GRDBSQLite
internal import Model

/// Files of SQLite as a whole: what backups and restores need.
extension SQLiteWholeDatabase {
    /// Pages of one step, after which progress is told: 1 MiB.
    private static let pagesAtOnce: CInt = 256
    /// How long a file that another process has open is waited for, in seconds.
    private static let aloneSeconds = 1.0
    /// Faults that are named.
    private static let faultsMax = 5

    /// Copies each page of the snapshot that was begun into an empty file, without a log.
    ///
    /// - Parameter onPages: gets the number of pages that are there and of all pages.
    func copyPages(into path: String, _ onPages: @escaping (Int, Int) throws -> Void) throws {
        let queue = try Self.scratch(path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { copy in
            try database.backup(to: copy, pagesPerStep: Self.pagesAtOnce) { progress in
                try onPages(progress.completedPageCount, progress.totalPageCount)
            }
        }
        try queue.close()
        try Self.turnOffLog(path)
    }

    /// Makes a file one that needs no log beside it.
    static func turnOffLog(_ path: String) throws {
        let queue = try scratch(path)
        defer { try? queue.close() }
        let mode = try queue.writeWithoutTransaction { database in
            try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE")
        }
        guard mode == "delete" else { throw SQLiteProblem(SQLITE_BUSY, "the log stays on") }
        try queue.close()
    }

    /// A file that is written anew when the machine stops meanwhile: the caller syncs it.
    private static func scratch(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Runs `body` while no other connection is open, with the log moved into the file and removed.
    static func alone(with path: String, _ body: () throws -> Void) throws {
        var configuration = Configuration()
        configuration.busyMode = .timeout(aloneSeconds)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { database in
            // Leaving the log needs the file alone: it fails while another connection is open.
            guard try String.fetchOne(database, sql: "PRAGMA journal_mode = DELETE") == "delete" else {
                throw SQLiteProblem(SQLITE_BUSY, "another connection is open")
            }
            try database.execute(sql: "BEGIN EXCLUSIVE")
            defer { try? database.execute(sql: "ROLLBACK") }
            try body()
        }
    }

    /// What is wrong with pages, indexes, and rows that others name; the first ones.
    func faults() throws -> [String] {
        let structure = try String.fetchAll(database, sql: "PRAGMA integrity_check(\(Self.faultsMax))")
        guard structure == ["ok"] else { return structure }
        let names = try Row.fetchCursor(database, sql: "PRAGMA foreign_key_check")
        var found: [String] = []
        while found.count < Self.faultsMax, let row = try names.next() {
            let (table, parent): (String, String) = (row["table"], row["parent"])
            found.append("a row of \(table) names one of \(parent) that is not there")
        }
        return found
    }

    /// Every table of the file, in whatever release's schema, with the columns of its key; none: SQLite's own number.
    func everyTable() throws -> [(name: String, key: [String])] {
        let rows = try Row.fetchAll(
            database,
            sql: """
                SELECT name, wr FROM pragma_table_list
                WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name
                """)
        return try rows.map { row in
            let (name, isWithoutRowID): (String, Bool) = (row["name"], row["wr"])
            guard isWithoutRowID else { return (name, []) }
            let key = "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk"
            return (name, try String.fetchAll(database, sql: key, arguments: [name]))
        }
    }

    /// What SQLite said; `nil` if the error is not its own.
    static func problem(_ error: any Error) -> SQLiteProblem? {
        switch (error as? StoreError)?.cause ?? error {
        case let error as DatabaseError:
            SQLiteProblem(error.resultCode.rawValue, error.message ?? "no reason given")
        case let problem as SQLiteProblem: problem
        default: nil
        }
    }
}

extension SQLiteProblem {
    var isFull: Bool { code == SQLITE_FULL }
    /// Pages that are no pages, or a file that is no database.
    var isDamage: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }
}
