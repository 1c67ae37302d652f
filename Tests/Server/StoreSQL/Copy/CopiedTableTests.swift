import GRDB
import Testing

@testable import StoreSQL

@Suite("Copying a database: the list of tables")
struct CopiedTableTests {
    /// Both engines with an empty schema.
    private func withBoth(_ body: (any WholeDatabase, any WholeDatabase) throws -> Void) throws {
        let filled = try FilledDatabase(rows: 1)
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        try filled.side.read(.from) { sqlite in
            try sandbox.side().read(.to) { postgreSQL in try body(sqlite, postgreSQL) }
        }
    }

    @Test func `it names every table of both schemas, once`() throws {
        let names = CopiedTable.all.map(\.name)
        #expect(names.count == Set(names).count && names.count > 50)
        try withBoth { one, other in
            for database in [one, other] {
                let tables = try database.tables()
                #expect(tables.sorted() == names.sorted())
            }
        }
    }

    @Test func `every column of both schemas has a type that is copied`() throws {
        try withBoth { one, other in
            let count = try CopiedTable.all.reduce(0) { try $0 + RowShape($1, one, other).columns.count }
            #expect(count > 300)
        }
    }

    @Test func `its keys are keys, its numbers are given by the engines, and what is referred to comes first`() throws {
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        let session = try sandbox.session()
        let keys = try session.search(
            """
            SELECT t.relname || ' ' || string_agg(a.attname, ' ' ORDER BY a.attname) AS key
            FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
            JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey) AND a.attnotnull
            WHERE i.indisunique AND i.indpred IS NULL GROUP BY i.indexrelid, t.relname
            """, []
        ).map { $0["key"] as String }
        for table in CopiedTable.all where !table.hasFirstRow {
            // The number comes of a sequence; a partitioned table's index has the time as well.
            let key = table.name == "audit_event" ? ["at", "number"] : table.key.sorted()
            #expect(keys.contains("\(table.name) \(key.joined(separator: " "))"), "\(table.name)")
        }
        let numbered = try session.search(
            """
            SELECT table_name || ' ' || column_name AS name FROM information_schema.columns
            WHERE table_schema = 'public' AND (is_identity = 'YES' OR column_default LIKE 'nextval(%')
                AND table_name <> 'audit_event_rest'
            """, []
        ).map { $0["name"] as String }
        #expect(
            Set(numbered) == Set(CopiedTable.all.compactMap { table in table.numbered.map { "\(table.name) \($0)" } }))
        let names = CopiedTable.all.map(\.name)
        for row in try session.search(
            """
            SELECT c.relname::text AS child, p.relname::text AS parent FROM pg_constraint f
            JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class p ON p.oid = f.confrelid WHERE f.contype = 'f'
            """, [])
        {
            let child = try #require(names.firstIndex(of: row["child"]))
            let parent = try #require(names.firstIndex(of: row["parent"]))
            #expect(parent < child, "\(names[child]) refers to \(names[parent])")
        }
    }

    @Test func `a table or a column that it does not know is refused, and not lost`() throws {
        let filled = try FilledDatabase(rows: 1)
        try filled.write { try $0.execute(sql: "CREATE TABLE novel (id INTEGER PRIMARY KEY) STRICT") }
        let copy = DatabaseCopy(from: filled.side, to: .sqlite(path: filled.target("a.db"))) { _ in }
        #expect(throws: CopyProblem.unknownTable("novel")) { try copy.run() }
        try filled.write { db in
            try db.execute(sql: "DROP TABLE novel; ALTER TABLE budget ADD COLUMN novel INTEGER")
        }
        let again = DatabaseCopy(from: filled.side, to: .sqlite(path: filled.target("b.db"))) { _ in }
        #expect(throws: CopyProblem.unknownColumn("budget.novel")) { try again.run() }
    }
}
