internal import Foundation
internal import GRDBSQLite

/// A prepared statement, for one thread at a time.
@safe final class SQLiteStatement {
    private let database: OpaquePointer
    private let handle: OpaquePointer
    private let columns: SQLiteColumns

    /// What tells SQLite to copy a value before the call returns.
    private static var copied: sqlite3_destructor_type { unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// - Parameter isKept: it is run again and again.
    init(_ sql: String, in database: OpaquePointer, isKept: Bool) throws(SQLiteProblem) {
        var prepared: OpaquePointer?
        let flags = isKept ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
        let code = unsafe sqlite3_prepare_v3(database, sql, -1, flags, &prepared, nil)
        guard code == SQLITE_OK, let statement = unsafe prepared else {
            throw SQLiteProblem(code, unsafe String(cString: sqlite3_errmsg(database)))
        }
        unsafe self.database = database
        unsafe handle = statement
        let count = unsafe sqlite3_column_count(statement)
        columns = SQLiteColumns((0..<count).map { unsafe String(cString: sqlite3_column_name(statement, $0)) })
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Runs it to its end.
    ///
    /// - Parameter body: gets each row. When it throws, the rest is left.
    func run(_ values: Values, _ body: (SQLRow) throws -> Void) throws {
        defer { unsafe sqlite3_reset(handle) }
        try bind(values)
        while try step() { try body(row()) }
    }

    /// Its first row. What it changes is changed by then (SQLite, RETURNING §2.2), but foreign keys are checked only when
    /// the statement ends: here when it is reset.
    func first(_ values: Values) throws(SQLiteProblem) -> SQLRow? {
        var isReset = false
        defer { if !isReset { unsafe sqlite3_reset(handle) } }
        try bind(values)
        let first = try step() ? row() : nil
        isReset = true
        let code = unsafe sqlite3_reset(handle)
        guard code == SQLITE_OK else { throw SQLiteProblem(code, unsafe String(cString: sqlite3_errmsg(database))) }
        return first
    }

    private func step() throws(SQLiteProblem) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code: throw SQLiteProblem(code, unsafe String(cString: sqlite3_errmsg(database)))
        }
    }

    private func bind(_ values: Values) throws(SQLiteProblem) {
        guard unsafe Int(sqlite3_bind_parameter_count(handle)) == values.count else {
            throw SQLiteProblem(SQLITE_RANGE, "the statement has another number of parameters")
        }
        for (index, value) in values.enumerated() {
            let code = bind(value.binding, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw SQLiteProblem(code, "a parameter cannot be bound") }
        }
    }

    /// SQLite's interface would cut a text at its first zero byte, so that two names could be confused. Such a text is
    /// bound as bytes: it equals no text, and no text column accepts it.
    private func bind(_ binding: SQLBinding, at place: Int32) -> Int32 {
        switch binding {
        case .null: unsafe sqlite3_bind_null(handle, place)
        case .integer(let number): unsafe sqlite3_bind_int64(handle, place, number)
        case .real(let number): unsafe sqlite3_bind_double(handle, place, number)
        case .bytes(let bytes): bind(bytes, at: place)
        case .text(let text) where text.utf8.contains(0): bind(Data(text.utf8), at: place)
        case .text(let text):
            unsafe sqlite3_bind_text(handle, place, text, Int32(text.utf8.count), Self.copied)
        }
    }

    private func bind(_ bytes: Data, at place: Int32) -> Int32 {
        // No pointer would be a null.
        guard !bytes.isEmpty else { return unsafe sqlite3_bind_zeroblob(handle, place, 0) }
        return unsafe bytes.withUnsafeBytes {
            unsafe sqlite3_bind_blob(handle, place, $0.baseAddress, Int32($0.count), Self.copied)
        }
    }

    private func row() -> SQLRow {
        let cells = (0..<Int32(columns.count)).map(cell)
        return SQLRow(cells: SQLiteRow(columns: columns, cells: cells))
    }

    private func cell(_ column: Int32) -> SQLBinding {
        switch unsafe sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(handle, column))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(handle, column))
        case SQLITE_TEXT:
            let start = unsafe sqlite3_column_text(handle, column)
            let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
            return .text(unsafe String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            guard let start = unsafe sqlite3_column_blob(handle, column) else { return .bytes(Data()) }
            return .bytes(unsafe Data(bytes: start, count: Int(sqlite3_column_bytes(handle, column))))
        default: return .null
        }
    }
}

/// The names of a statement's columns.
final class SQLiteColumns {
    let count: Int
    private let places: [String: Int]

    init(_ names: [String]) {
        count = names.count
        places = Dictionary(zip(names, names.indices)) { first, _ in first }
    }

    func place(of name: String) -> Int {
        guard let place = places[name] else { preconditionFailure("\(name) is no column of the result") }
        return place
    }
}

/// A row, copied: it stays when the statement goes on.
struct SQLiteRow: SQLCells {
    let columns: SQLiteColumns
    let cells: [SQLBinding]

    func text(_ column: Int) -> String? {
        switch cells[column] {
        case .null: nil
        case .text(let text): text
        default: preconditionFailure("column \(column) is no text")
        }
    }

    func integer(_ column: Int) -> Int64? {
        switch cells[column] {
        case .null: nil
        case .integer(let number): number
        default: preconditionFailure("column \(column) is no integer")
        }
    }

    func bytes(_ column: Int) -> Data? {
        switch cells[column] {
        case .null: nil
        case .bytes(let bytes): bytes
        case .text(let text): Data(text.utf8)
        default: preconditionFailure("column \(column) is not bytes")
        }
    }

    func text(_ column: String) -> String? { text(columns.place(of: column)) }
    func integer(_ column: String) -> Int64? { integer(columns.place(of: column)) }
    func bytes(_ column: String) -> Data? { bytes(columns.place(of: column)) }
}
