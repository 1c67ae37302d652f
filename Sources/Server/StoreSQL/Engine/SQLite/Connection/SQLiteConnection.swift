internal import Foundation
internal import GRDBSQLite
internal import Model

/// One connection of SQLite, for one thread at a time. Statements are prepared once and their columns read as they are:
/// every request stands on this.
@safe final class SQLiteConnection {
    private let handle: OpaquePointer
    private var prepared: [StatementText: SQLiteStatement] = [:]
    private let onStatement: (@Sendable (String) -> Void)?
    /// SQLite has a pointer to it.
    private var logPages: LogPages?

    enum Access {
        case read, write
        /// A database of its own, which ends with the connection.
        case memory
    }

    /// How long a statement waits for another process, in milliseconds.
    private static let busyMilliseconds: Int32 = 5_000
    /// How long a checkpoint waits for readers.
    private static let checkpointMilliseconds: Int32 = 20
    /// Most statements that stay prepared: more than the stores have.
    private static let preparedMax = 1_000

    /// - Parameter onStatement: called with each statement that reads or writes data, for tests that count them.
    init(
        _ path: String, _ access: Access, onStatement: (@Sendable (String) -> Void)? = nil
    ) throws(SQLiteProblem) {
        let flags =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .write: SQLITE_OPEN_READWRITE
            case .memory: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY
            }
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_NOMUTEX, nil)
        guard let connection = unsafe opened else { throw SQLiteProblem(code, "there is no memory to open it") }
        unsafe handle = connection
        self.onStatement = onStatement
        guard code == SQLITE_OK else { throw lastProblem(code) }
        unsafe sqlite3_busy_timeout(handle, Self.busyMilliseconds)
        try execute("PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON")
    }

    deinit {
        prepared = [:]
        unsafe sqlite3_close_v2(handle)
    }

    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Runs statements without parameters, and drops their rows.
    func execute(_ sql: String) throws(SQLiteProblem) {
        let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw lastProblem(code) }
    }

    /// A statement of the engine itself, such as `COMMIT`, that stays prepared.
    func control(_ sql: String) throws {
        try statement(sql).run([]) { _ in }
    }

    /// The number in the first column of the first row.
    func number(_ sql: String) throws -> Int64 {
        try unsafe SQLiteStatement(sql, in: handle, isKept: false).first([])?[0] ?? 0
    }

    func text(_ sql: String) throws -> String {
        try unsafe SQLiteStatement(sql, in: handle, isKept: false).first([])?[0] ?? ""
    }

    /// Moves pages of the write-ahead log into the file.
    ///
    /// - Parameter mode: `SQLITE_CHECKPOINT_PASSIVE` does not wait; `…_RESTART` waits up to 20 ms for readers, and the next
    ///   commit begins the log anew.
    /// - Returns: `false` if a reader or another writer was in the way.
    @discardableResult
    func checkpoint(_ mode: Int32) -> Bool {
        unsafe sqlite3_busy_timeout(handle, Self.checkpointMilliseconds)
        defer { unsafe sqlite3_busy_timeout(handle, Self.busyMilliseconds) }
        return unsafe sqlite3_wal_checkpoint_v2(handle, nil, mode, nil, nil) == SQLITE_OK
    }

    /// Moves what it can into the file without waiting for another, and says how many pages the write-ahead log has, and
    /// how many of them are in the file.
    ///
    /// - Returns: `nil` while another connection moves them.
    func logLength() throws(SQLiteProblem) -> (pages: Int, moved: Int)? {
        var (pages, moved): (CInt, CInt) = (-1, -1)
        let code = unsafe sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, &pages, &moved)
        guard code == SQLITE_OK || code == SQLITE_BUSY else { throw lastProblem(code) }
        return pages < 0 ? nil : (Int(pages), Int(moved))
    }

    /// Keeps `pages` at the number of pages in the write-ahead log as of the last commit, and checkpoints no more by
    /// itself.
    func watchLog(_ pages: LogPages) {
        logPages = pages
        unsafe sqlite3_wal_hook(
            handle,
            { context, _, _, count in
                if let context = unsafe context {
                    unsafe Unmanaged<LogPages>.fromOpaque(context).takeUnretainedValue().set(Int(count))
                }
                return SQLITE_OK
            }, Unmanaged.passUnretained(pages).toOpaque())
    }

    /// Takes over all of another database.
    func copy(from other: OpaquePointer) throws(SQLiteProblem) {
        guard let backup = unsafe sqlite3_backup_init(handle, "main", other, "main") else {
            throw lastProblem(SQLITE_ERROR)
        }
        unsafe sqlite3_backup_step(backup, -1)
        let code = unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_OK else { throw lastProblem(code) }
    }

    private func statement(_ sql: String) throws(SQLiteProblem) -> SQLiteStatement {
        let text = StatementText(sql: sql)
        if let statement = prepared[text] { return statement }
        let statement = try unsafe SQLiteStatement(sql, in: handle, isKept: true)
        if prepared.count < Self.preparedMax { prepared[text] = statement }
        return statement
    }

    /// A statement's text as a key: hashing all of it would take longer than comparing it with the few of its length.
    private struct StatementText: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) {
            hasher.combine(sql.utf8.count)
        }
    }

    private func lastProblem(_ code: Int32) -> SQLiteProblem {
        SQLiteProblem(code, unsafe String(cString: sqlite3_errmsg(handle)))
    }
}

extension SQLiteConnection: SQLConnection {
    var changes: Int { Int(unsafe sqlite3_total_changes64(handle)) }
    /// There is one writer.
    var takesLocks: Bool { false }

    func hold(_ locks: [SQLLock]) throws(StoreError) {}

    @discardableResult
    func run(_ sql: String, _ values: Values) throws(StoreError) -> Int {
        try translated {
            onStatement?(sql)
            try statement(sql).run(values) { _ in }
            return Int(unsafe sqlite3_changes64(handle))
        }
    }

    func send(_ sql: String, _ values: Values) throws(StoreError) {
        try run(sql, values)
    }

    func first(_ sql: String, _ values: Values) throws(StoreError) -> SQLRow? {
        try translated {
            onStatement?(sql)
            return try statement(sql).first(values)
        }
    }

    func all(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        try translated { try rows(of: statement(sql), sql, values) }
    }

    func search(_ sql: String, _ values: Values) throws(StoreError) -> [SQLRow] {
        try translated { try rows(of: unsafe SQLiteStatement(sql, in: handle, isKept: false), sql, values) }
    }

    func each(_ sql: String, _ values: Values, _ body: (SQLRow) throws -> Void) throws {
        do {
            onStatement?(sql)
            try unsafe SQLiteStatement(sql, in: handle, isKept: false).run(values, body)
        } catch let problem as SQLiteProblem {
            throw StoreError(translating: problem)
        }
    }

    private func rows(of statement: SQLiteStatement, _ sql: String, _ values: Values) throws -> [SQLRow] {
        onStatement?(sql)
        var rows: [SQLRow] = []
        try statement.run(values) { rows.append($0) }
        return rows
    }

    private func translated<Value>(_ body: () throws -> Value) throws(StoreError) -> Value {
        do {
            return try body()
        } catch {
            throw StoreError(translating: error)
        }
    }
}

extension SQLSession {
    init(_ connection: SQLiteConnection) {
        self.init(dialect: .sqlite, connection: connection)
    }
}
