import GRDB
import Testing

@testable import StoreSQL

/// The schema of each engine, in the same words.
private struct Schema {
    /// Each column with its table, its type, whether it may be null, and its default.
    var columns: Set<String> = []
    /// Each index with its table, its columns, and whether it is unique and partial. Names are the engine's own.
    var indexes: Set<String> = []
    var references: Set<String> = []
}

@Suite("PostgreSQL: the schema")
struct SchemaTests {
    private static func word(_ isTrue: Bool, _ word: String) -> String { isTrue ? " \(word)" : "" }

    private func sqlite() throws -> Schema {
        let queue = try DatabaseQueue()
        return try queue.writeWithoutTransaction { db in
            try Migrations.apply(to: db)
            var schema = Schema()
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
            for table in tables {
                try addColumns(of: table, db, to: &schema)
                for index in try Row.fetchAll(db, sql: "PRAGMA index_list('\(table)')") {
                    let names = try Row.fetchAll(db, sql: "PRAGMA index_info('\(index["name"] as String)')")
                        .map { ($0["name"] as String?) ?? "expression" }
                    schema.indexes.insert(
                        table + Self.word(index["unique"], "unique") + Self.word(index["partial"], "partial")
                            + " (\(names.joined(separator: ", ")))")
                }
                for key in try Row.fetchAll(db, sql: "PRAGMA foreign_key_list('\(table)')") {
                    schema.references.insert(
                        "\(table).\(key["from"] as String) → \(key["table"] as String) \(key["on_delete"] as String)")
                }
            }
            return schema
        }
    }

    private func addColumns(of table: String, _ db: Database, to schema: inout Schema) throws {
        let types = ["INTEGER": "bigint", "TEXT": "text", "BLOB": "bytea"]
        let columns = try Row.fetchAll(db, sql: "PRAGMA table_info('\(table)')")
        for column in columns {
            let (name, type): (String, String) = (column["name"], column["type"])
            let isKey = column["pk"] as Int > 0
            schema.columns.insert(
                "\(table).\(name) \(types[type] ?? type)" + Self.word(isKey || column["notnull"], "not null")
                    + ((column["dflt_value"] as String?).map { " default \($0)" } ?? ""))
            // SQLite's own row number is a key without an index.
            if isKey, type == "INTEGER", columns.count(where: { $0["pk"] as Int > 0 }) == 1 {
                schema.indexes.insert("\(table) unique (\(name))")
            }
        }
    }

    private func postgreSQL(_ session: SQLSession) throws -> Schema {
        var schema = Schema()
        let own = "('schema_version', 'commit_mark', 'audit_event_rest')"
        for row in try session.search(
            """
            SELECT table_name::text AS t, column_name::text AS c, data_type::text AS type, is_nullable = 'YES' AS n,
                CASE WHEN column_default NOT LIKE 'nextval(%' THEN
                    replace(replace(column_default, '::text', ''), '::bigint', '') END AS d, collation_name::text AS collation
            FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT IN \(own)
                AND NOT (table_name = 'user' AND column_name = 'rowid')
            """, [])
        {
            let type: String = row["type"]
            #expect(type != "text" || row["collation"] as String? == "C", "\(row["t"] as String).\(row["c"] as String)")
            schema.columns.insert(
                "\(row["t"] as String).\(row["c"] as String) \(type)" + Self.word(!(row["n"] as Bool), "not null")
                    + ((row["d"] as String?).map { " default \($0)" } ?? ""))
        }
        for row in try session.search(
            """
            SELECT t.relname::text AS t, i.indisunique AS u, i.indpred IS NOT NULL AS p,
                string_agg(coalesce(a.attname, 'expression'), ', ' ORDER BY k.place) AS c
            FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
            CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(number, place)
            LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number AND k.number > 0
            WHERE t.relnamespace = 'public'::regnamespace AND t.relname NOT IN \(own)
            GROUP BY i.indexrelid, t.relname, i.indisunique, i.indpred IS NOT NULL
            """, [])
        {
            schema.indexes.insert(
                (row["t"] as String) + Self.word(row["u"], "unique") + Self.word(row["p"], "partial")
                    + " (\(row["c"] as String))")
        }
        for row in try session.search(
            """
            SELECT c.conrelid::regclass::text AS t, a.attname::text AS f, r.relname::text AS o,
                CASE c.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' ELSE 'other' END AS d
            FROM pg_constraint c JOIN pg_class r ON r.oid = c.confrelid
            JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1] WHERE c.contype = 'f'
            """, [])
        {
            schema.references.insert(
                "\(row["t"] as String).\(row["f"] as String) → \(row["o"] as String) \(row["d"] as String)")
        }
        return schema
    }

    @Test func `the tables, columns, indexes and references of both engines are the same`() throws {
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        let (one, other) = (try sqlite(), try postgreSQL(sandbox.session()))
        #expect(one.columns.subtracting(other.columns).sorted() == [])
        #expect(other.columns.subtracting(one.columns).sorted() == [])
        // A partitioned table has the time in its key.
        let differing = ["audit_event unique (number)", "audit_event unique (number, at)"]
        #expect(one.indexes.symmetricDifference(other.indexes).sorted() == differing)
        #expect(one.references.symmetricDifference(other.references).sorted() == [])
        #expect(one.columns.count > 300 && one.indexes.count > 90)
    }

    @Test func `twelve servers that open an empty database together make one schema`() async throws {
        let sandbox = try PostgreSQLSandbox()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 { group.addTask { try sandbox.database().close() } }
            try await group.waitForAll()
        }
        let rows = try sandbox.session().all("SELECT number FROM schema_version", [])
        #expect(rows.map { $0["number"] as Int } == [PostgreSQLMigrations.all.last?.number])
    }

    @Test func `a database of a later release, or of other secrets, is left as it is`() throws {
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        let connection = try sandbox.connection()
        try connection.script("UPDATE schema_version SET number = 9999, oldest = 9998")
        #expect(throws: OpenProblem.newer(version: 9_999)) { try sandbox.database() }
        try connection.script("UPDATE schema_version SET number = \(Baseline.number), oldest = \(Baseline.number)")
        try connection.script("INSERT INTO signing_key VALUES ('k', 'ES256', 'x', 1, 2, 3, 4)")
        #expect(throws: OpenProblem.notAdmitted) {
            try PostgreSQLDatabase(sandbox.address(), admits: { _ in false })
        }
        for address in ["postgres://u:secret@[/x", "postgres://u:sec@ret@localhost/x", "host=a@b dbname=x"] {
            #expect(throws: OpenProblem.badAddress) { try PostgreSQLDatabase(address) }
        }
    }
}
