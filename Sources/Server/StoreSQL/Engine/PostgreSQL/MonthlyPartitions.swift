package import KeyturnBase
package import Model

/// The partitions of `audit_event`: one for each month, named `audit_event_2026_11`, and `audit_event_rest` for what is
/// in none of them. A month is dropped whole, which costs nothing; a row of its own costs a dead row in eight indexes.
struct MonthlyPartitions {
    let session: SQLSession

    /// A month in UTC.
    struct Month: Hashable, Sendable {
        let name: String
        let begins: UnixTime
        let ends: UnixTime
        let isThere: Bool
        /// Whether rows of it are in `audit_event_rest`. They stay there, and so does the month.
        let isInRest: Bool
    }

    private static let table = "audit_event"
    /// How long a change waits for statements that use the table: what comes behind it waits as well.
    private static let lockMilliseconds = 200

    /// Every month from that of one moment to that of another.
    func months(from first: UnixTime, through last: UnixTime) throws(StoreError) -> [Month] {
        try session.all(
            """
            SELECT month.name, begins, ends, c.oid IS NOT NULL AS is_there, c.oid IS NULL AND EXISTS (
                SELECT 1 FROM \(Self.table)_rest WHERE at >= begins AND at < ends) AS is_in_rest
            FROM (
                SELECT '\(Self.table)_' || to_char(m, 'YYYY_MM') AS name, extract(epoch FROM m)::bigint AS begins,
                    extract(epoch FROM m + interval '1 month')::bigint AS ends
                FROM generate_series(
                    date_trunc('month', to_timestamp(?::bigint) AT TIME ZONE 'UTC'),
                    to_timestamp(?::bigint) AT TIME ZONE 'UTC', interval '1 month') AS m
            ) AS month
            LEFT JOIN pg_class c ON c.relname = month.name AND c.relnamespace = current_schema()::regnamespace
            ORDER BY begins
            """, [first.rawValue, last.rawValue]
        ).map { row in
            Month(
                name: row["name"], begins: row.time("begins"), ends: row.time("ends"), isThere: row["is_there"],
                isInRest: row["is_in_rest"])
        }
    }

    /// The partitions of months that were over at a moment. Those of other names are left alone.
    func ended(before moment: UnixTime) throws(StoreError) -> [String] {
        try session.all(
            """
            SELECT c.relname::text AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
            WHERE i.inhparent = '\(Self.table)'::regclass AND CASE
                WHEN c.relname ~ '^\(Self.table)_[0-9]{4}_(0[1-9]|1[0-2])$' THEN
                    extract(epoch FROM to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month')::bigint <= ?
                ELSE false END
            """, [moment.rawValue]
        ).map { $0["name"] }
    }

    /// Runs in a transaction.
    func make(_ months: [Month]) throws(StoreError) {
        guard !months.isEmpty else { return }
        try limitLocks()
        for month in months {
            _ = try session.search("CREATE TABLE \(month.name) (LIKE \(Self.table) INCLUDING DEFAULTS)", [])
            // CREATE TABLE … PARTITION OF would lock the whole table.
            _ = try session.search(
                """
                ALTER TABLE \(Self.table) ATTACH PARTITION \(month.name)
                FOR VALUES FROM (\(month.begins.rawValue)) TO (\(month.ends.rawValue))
                """, [])
        }
    }

    /// Runs in a transaction.
    func drop(_ names: [String]) throws(StoreError) {
        guard !names.isEmpty else { return }
        try limitLocks()
        for name in names {
            _ = try session.search("DROP TABLE IF EXISTS \(name)", [])
        }
    }

    private func limitLocks() throws(StoreError) {
        try session.run("SET LOCAL lock_timeout = \(Self.lockMilliseconds)", [])
    }
}

extension PostgreSQLDatabase {
    /// A month is made while the one before it lasts.
    private static let secondsAhead: Int64 = 32 * 86_400

    package func keepAuditMonths(since oldest: UnixTime, at now: UnixTime) async throws(StoreError) -> UnixTime {
        let change = { @Sendable (db: SQLSession) throws(StoreError) in
            let partitions = MonthlyPartitions(session: db)
            let months = try partitions.months(from: oldest, through: now + Self.secondsAhead)
            return (
                missing: months.filter { $0.ends > now && !$0.isThere && !$0.isInRest },
                ended: try partitions.ended(before: oldest),
                rows: months.first.map { $0.isThere ? $0.begins : oldest } ?? oldest
            )
        }
        let (missing, ended, rows) = try await read(change)
        if !missing.isEmpty || !ended.isEmpty {
            // One server does it; those behind it find nothing left to do.
            try await write(.locking([.name("months of audit events")])) { db in
                let (missing, ended, _) = try change(db)
                try MonthlyPartitions(session: db).make(missing)
                try MonthlyPartitions(session: db).drop(ended)
            }
        }
        return rows
    }
}
