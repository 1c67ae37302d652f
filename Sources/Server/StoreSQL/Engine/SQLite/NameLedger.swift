internal import GRDB
public import Model

/// Remembers which line of a long file used a name first, in bounded memory: a private database that SQLite writes to
/// disk beyond a few megabytes and removes by itself.
public struct NameLedger: Sendable {
    private let queue: DatabaseQueue

    /// - Throws: `unavailable` if there is no room for temporary files.
    public init() throws(StoreError) {
        do {
            // An empty path is a temporary file, not memory.
            queue = try DatabaseQueue(path: "")
            try queue.writeWithoutTransaction { db in
                try db.execute(
                    sql: """
                        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
                        CREATE TABLE name (text TEXT PRIMARY KEY NOT NULL, line INTEGER NOT NULL) STRICT, WITHOUT ROWID
                        """)
            }
        } catch {
            throw StoreError(translating: error)
        }
    }

    /// Records the names of some lines, in order.
    ///
    /// - Returns: for each line the earlier one that has one of its names; `nil` if there is none. Names of a line that
    ///   has such an earlier one are not recorded.
    public func note(_ lines: [(number: Int, names: [String])]) throws(StoreError) -> [Int?] {
        do {
            return try queue.writeWithoutTransaction { db in
                try db.execute(sql: "BEGIN")
                let earlier = try lines.map { line -> Int? in
                    for name in line.names {
                        if let row = try db.first("SELECT line FROM name WHERE text = ?", [name]) { return row["line"] }
                    }
                    for name in line.names {
                        try db.run("INSERT INTO name (text, line) VALUES (?, ?)", [name, line.number])
                    }
                    return nil
                }
                try db.execute(sql: "COMMIT")
                return earlier
            }
        } catch {
            throw StoreError(translating: error)
        }
    }
}
