internal import GRDBSQLite

/// What SQLite says about a statement that failed.
struct SQLiteProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The primary result code, such as `SQLITE_FULL`.
    let code: Int32
    let message: String

    init(_ code: Int32, _ message: String) {
        self.code = code & 0xFF
        self.message = message
    }

    var description: String { "SQLite says \(code): \(message)" }
    var isBusy: Bool { code == SQLITE_BUSY }
}
