internal import KeyturnBase
internal import Model

/// All rows of a database of PostgreSQL.
final class PostgreSQLWholeDatabase: WholeDatabase {
    private let connection: PostgreSQLConnection
    private let address: String
    /// The number of the first transaction that the snapshot does not see.
    private var horizon = ""
    private var isInSnapshot = false

    var session: SQLSession { SQLSession(connection) }
    /// PostgreSQL's own limit is 65,535; with longer statements it is slower.
    let parametersMax = 8_000

    /// - Throws: ``OpenProblem``.
    init(_ address: String, isWritten: Bool) throws {
        guard PostgreSQLConnection.canRead(address) else { throw OpenProblem.badAddress }
        self.address = address
        connection = try Self.connect(address)
        // A crash of the server may undo the last batches, which are then copied again: see finish().
        if isWritten { try session.run("SET synchronous_commit = off", []) }
    }

    private static func connect(_ address: String) throws -> PostgreSQLConnection {
        do {
            return try PostgreSQLConnection(
                address, defaults: PostgreSQLDatabase.base + limits, flightMax: PostgreSQLDatabase.walkMax)
        } catch {
            throw OpenProblem.postgreSQL("\(error)")
        }
    }

    /// Statements over all rows take long, and the snapshot of one side waits while the other side works.
    private static let limits: [(keyword: String, value: String)] = [
        ("options", "-c statement_timeout=0 -c lock_timeout=0 -c idle_in_transaction_session_timeout=0")
    ]

    var otherConnections: Int {
        get throws {
            let count = """
                SELECT count(*) AS number FROM pg_stat_activity WHERE datname = current_database()
                    AND application_name = 'keyturn' AND pid <> pg_backend_pid()
                """
            return try session.first(count, [])?["number"] ?? 0
        }
    }

    func schema() throws -> SchemaState {
        try Self.state(PostgreSQLMigrations.version(in: session).number, newest: PostgreSQLMigrations.newest)
    }

    func makeSchema() throws {
        try PostgreSQLMigrations.apply(to: connection)
        try makeAuditMonths()
    }

    /// For the events of another database: those that a server still keeps, by the clock of this one.
    private func makeAuditMonths() throws {
        let clock = "SELECT extract(epoch FROM clock_timestamp())::bigint AS now"
        guard let now: UnixTime = try session.search(clock, []).first?.time("now") else { return }
        try transaction {
            let partitions = MonthlyPartitions(session: session)
            let months = try partitions.months(from: now - Int64(Limits.auditRetentionDays) * 86_400, through: now)
            try partitions.make(months.filter { !$0.isThere && !$0.isInRest })
        }
    }

    func setUnfinished(_ isUnfinished: Bool) throws {
        try session.run("UPDATE schema_version SET number = \(isUnfinished ? "-" : "")abs(number)", [])
    }

    func tables() throws -> [String] {
        let own: Set = ["schema_version", "commit_mark", "upkeep"]
        return try session.search(
            """
            SELECT relname::text AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace
                AND relkind IN ('r', 'p') AND NOT relispartition
            """, []
        ).map { $0["name"] }.filter { !own.contains($0) }
    }

    func columns(of table: String) throws -> [(name: String, type: SQLType?)] {
        let types: [String: SQLType] = ["bigint": .integer, "text": .text, "bytea": .bytes]
        // The views of information_schema take milliseconds for each table.
        return try session.all(
            """
            SELECT a.attname::text AS name, format_type(a.atttypid, NULL) AS type
            FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relname = ? AND a.attnum > 0
                AND NOT a.attisdropped ORDER BY a.attnum
            """, [table]
        ).map { ($0["name"], types[$0["type"]]) }
    }

    func bytes(ofText column: String) -> String { column }

    func transaction(_ body: () throws -> Void) throws {
        do {
            try connection.begin(.guarded)
            try body()
            try connection.commit(marking: nil)
        } catch {
            if !connection.isLost { try? connection.rollBack() }
            throw error
        }
    }

    func lock(_ tables: [String]) throws {
        let names = tables.map { "\"\($0)\"" }.joined(separator: ", ")
        try session.run("LOCK TABLE \(names) IN SHARE ROW EXCLUSIVE MODE", [])
    }

    func beginSnapshot() throws {
        try connection.beginSnapshot()
        isInSnapshot = true
        horizon = try Self.horizon(session)
    }

    func endSnapshot() {
        guard isInSnapshot, !connection.isLost else { return }
        isInSnapshot = false
        try? connection.rollBack()
    }

    private static func horizon(_ session: SQLSession) throws -> String {
        try session.first("SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS number", [])?["number"] ?? ""
    }

    /// If no transaction of the whole server wrote since, nothing changed. Otherwise each version of each row is looked
    /// at from both moments: a change moves a row or gives it another number.
    func hasChanged(_ tables: [String]) throws -> Bool {
        defer { endSnapshot() }
        let later = SQLSession(try Self.connect(address))
        guard try Self.horizon(later) != horizon else { return false }
        return try tables.contains { table in
            try Self.fingerprint(of: table, session) != Self.fingerprint(of: table, later)
        }
    }

    private static func fingerprint(of table: String, _ session: SQLSession) throws -> String? {
        try session.search(
            """
            SELECT count(*) || ' ' || coalesce(sum(hashtextextended(ctid || ' ' || xmin, 0)), 0) AS text
            FROM "\(table)"
            """, []
        ).first?["text"]
    }

    func lastNumber(of column: String, in table: String) throws -> Int64 {
        let name = "SELECT pg_get_serial_sequence(?, ?) AS name"
        guard let sequence = try session.first(name, ["\"\(table)\"", column])?["name"] as String? else { return 0 }
        let last = "SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END AS number FROM \(sequence)"
        return try session.search(last, []).first?["number"] ?? 0
    }

    func setLastNumber(_ number: Int64, of column: String, in table: String) throws {
        // A sequence begins at 1.
        guard number > 0 else { return }
        _ = try session.search(
            "SELECT setval(pg_get_serial_sequence(?, ?)::regclass, ?) AS number", ["\"\(table)\"", column, number])
    }

    func finish() throws {
        // Without it the first queries would be planned for empty tables.
        try connection.script("ANALYZE")
        // The last commit then waits for the disk, and for a standby, with all batches before it.
        try session.run("RESET synchronous_commit", [])
    }

    func reason(of error: any Error) -> String? {
        guard let problem = (error as? StoreError)?.cause as? PostgreSQLProblem ?? error as? PostgreSQLProblem else {
            return nil
        }
        return "PostgreSQL says: \(problem)"
    }
}
