internal import KeyturnBase

/// Rows of a queue: each is due at a moment, and a claim moves that moment to the end of its lease.
///
/// The table has the columns `number`, `due_at` and `attempts`.
struct LeasedRows {
    let table: String
    /// The columns to read of a claimed row.
    let columns: String
    /// More that a claim sets, after a comma.
    var claiming = ""
    /// A number for each due row, which `order` may name as `turns.turn`.
    var turn = "0"
    /// Which due rows are claimed first: terms of `ORDER BY`, with the table as `queue`.
    let order: String

    /// Whether any row is due. One indexed read.
    func haveDue(_ db: SQLSession, at now: UnixTime) throws -> Bool {
        try db.first("SELECT 1 FROM \(table) WHERE due_at <= ? LIMIT 1", [now.rawValue]) != nil
    }

    /// Claims rows that are due, in one guarded statement, and counts the attempt.
    ///
    /// - Parameters:
    ///   - condition: which of them, in the words of `order`, with `values` for its parameters from `?4` on.
    func claim(
        limit: Int, where condition: String = "1 = 1", _ values: Values = [], leaseSeconds: Int64, _ db: SQLSession,
        at now: UnixTime
    ) throws -> [SQLRow] {
        // A row that another transaction has moved into the future is not due any more.
        try db.all(
            """
            WITH picked AS MATERIALIZED (
                SELECT queue.number FROM \(table) queue
                JOIN (SELECT number, \(turn) AS turn FROM \(table) WHERE due_at <= ?1) AS turns
                    ON turns.number = queue.number
                WHERE \(condition)
                ORDER BY \(order) LIMIT ?3 \(db.dialect.fragments.skipLocked("queue")))
            UPDATE \(table) SET due_at = ?2, attempts = attempts + 1\(claiming)
            WHERE due_at <= ?1 AND number IN (SELECT number FROM picked)
            RETURNING \(columns)
            """,
            [now.rawValue, (now + leaseSeconds).rawValue, limit] + values)
    }
}
