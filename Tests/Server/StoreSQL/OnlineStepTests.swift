import Foundation
import GRDB
import KeyturnBase
import Model
import ServerTesting
import Testing

@testable import StoreSQL

/// Steps that change many rows, or build an index, in each engine.
@Suite("Steps over large tables")
struct OnlineStepTests {
    private struct Stop: Error {}

    private static let rows = 4_500
    private static var newest: Int { Migrations.newest }
    /// The steps of two later releases.
    private static func later(_ columnType: String) -> [Migration] {
        [
            Migration(number: newest + 1, oldest: newest, sql: "ALTER TABLE grant_ ADD COLUMN later \(columnType)"),
            Migration(
                number: newest + 2, oldest: newest,
                .rows(
                    RowChange(
                        table: "grant_", key: "id", change: "later = created_at + 1", condition: "later IS NULL"))),
            Migration(number: newest + 3, oldest: newest, .index(name: "grant_later", on: "grant_ (later)")),
        ]
    }
    private static let left = "SELECT count(*) AS number FROM grant_ WHERE later IS NULL"
    private static let wrong = "SELECT count(*) AS number FROM grant_ WHERE later <> created_at + 1"
    private static let user = """
        INSERT INTO "user" (id, status, claims, created_at, updated_at) VALUES ('u', 'enabled', '{}', 1, 1)
        """

    private func number(_ sql: String, _ session: SQLSession) throws -> Int {
        try session.search(sql, []).first?["number"] ?? 0
    }

    private func sqlite(_ body: (Database) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let queue = try DatabaseQueue(path: folder.appendingPathComponent("test.db").path)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try Migrations.apply(to: database)
            try database.execute(sql: Self.user)
            try database.execute(sql: ManyGrants.sql(Self.rows, .sqlite))
            try body(database)
        }
        try queue.close()
    }

    @Test func `SQLite: rows are changed in batches, and an interruption loses none`() throws {
        try sqlite { database in
            let steps = Migrations.all + Self.later("INTEGER")
            var told: [StepProgress] = []
            #expect(throws: Stop.self) {
                try Migrations.apply(steps, to: database) { progress in
                    told.append(progress)
                    // Another process writes: no transaction is open.
                    #expect(!database.isInsideTransaction)
                    if progress.rows >= 2_000 { throw Stop() }
                }
            }
            #expect(told.map(\.rows) == [0, 0, 1_000, 2_000] && told.last?.total == Self.rows)
            let session = SQLSession(database)
            #expect(try number(Self.left, session) == Self.rows - 2_000)
            #expect(try Migrations.version(of: database).number == Self.newest + 1)
            // A server of the release before adds one, in front of where the walk was.
            try database.execute(sql: "UPDATE grant_ SET later = NULL WHERE id = (SELECT min(id) FROM grant_)")

            told = []
            try Migrations.apply(steps, to: database) { told.append($0) }
            #expect(told.first { $0.total > 0 }?.total == Self.rows - 1_999)
            #expect(told.last { $0.total > 0 }?.rows == Self.rows - 1_999)
            #expect(try number(Self.left, session) == 0 && number(Self.wrong, session) == 0)
            #expect(try Migrations.version(of: database) == SchemaVersion(number: Self.newest + 3, oldest: Self.newest))
            let index = "SELECT count(*) AS number FROM sqlite_master WHERE name = 'grant_later'"
            #expect(try number(index, session) == 1)
        }
    }

    private func postgreSQL() throws -> PostgreSQLSandbox {
        let sandbox = try PostgreSQLSandbox()
        let connection = try sandbox.connection()
        try PostgreSQLMigrations.apply(to: connection)
        try connection.script(Self.user)
        try connection.script(ManyGrants.sql(Self.rows, .postgreSQL))
        return sandbox
    }

    @Test func `PostgreSQL: a server that is cut off in the middle leaves batches, and the next one goes on`() throws {
        let sandbox = try postgreSQL()
        let steps = PostgreSQLMigrations.all + Self.later("bigint")
        let session = try sandbox.session()
        var batches = 0
        let problem = #expect(throws: (any Error).self) {
            try PostgreSQLMigrations.apply(steps, to: sandbox.connection()) { progress in
                guard progress.rows > 0 else { return }
                batches += 1
                guard batches == 2 else { return }
                let others = "SELECT pid FROM pg_stat_activity WHERE datname = ? AND pid <> pg_backend_pid()"
                _ = try session.search("SELECT pg_terminate_backend(pid) FROM (\(others)) AS them", [sandbox.name])
            }
        }
        #expect(problem is PostgreSQLProblem || problem is StoreError, "\(String(describing: problem))")
        let left = try number(Self.left, session)
        #expect(left > 0 && left < Self.rows)
        #expect(try PostgreSQLMigrations.version(in: session).number == Self.newest + 1)

        var told: [StepProgress] = []
        try PostgreSQLMigrations.apply(steps, to: sandbox.connection()) { told.append($0) }
        #expect(told.first { $0.total > 0 }?.total == left && told.last { $0.total > 0 }?.rows == left)
        #expect(try number(Self.left, session) == 0 && number(Self.wrong, session) == 0)
        let after = SchemaVersion(number: Self.newest + 3, oldest: Self.newest)
        #expect(try PostgreSQLMigrations.version(in: session) == after)
    }

    @Test func `PostgreSQL: an index that was left half built is built anew, and the table is written meanwhile`()
        throws
    {
        let sandbox = try postgreSQL()
        let steps = PostgreSQLMigrations.all + Self.later("bigint")
        try PostgreSQLMigrations.apply(Array(steps.dropLast()), to: sandbox.connection())
        let connection = try sandbox.connection()
        // No two rows may be the same, and all are.
        #expect(throws: PostgreSQLProblem.self) {
            try connection.script("CREATE UNIQUE INDEX CONCURRENTLY grant_later ON grant_ (later)")
        }
        let session = SQLSession(connection)
        let whole = """
            SELECT count(*) AS number FROM pg_index
            WHERE indexrelid = 'grant_later'::regclass AND indisvalid AND NOT indisunique
            """
        #expect(try number(whole, session) == 0)
        // A writer that is not done yet: building it in a transaction would need the table for itself.
        try connection.begin(.guarded)
        let change = "UPDATE grant_ SET later = 7 WHERE id = (SELECT id FROM grant_ ORDER BY id"
        try session.run("\(change) LIMIT 1)", [])
        let writer = try sandbox.session()
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            do {
                try PostgreSQLMigrations.apply(steps, to: sandbox.connection())
            } catch {
                Issue.record("\(error)")
            }
            done.signal()
        }
        // First of all the half of an index goes, in the same way.
        let building = """
            SELECT count(*) AS number FROM pg_stat_activity WHERE datname = current_database() AND state = 'active'
                AND query LIKE '%INDEX CONCURRENTLY%' AND pid <> pg_backend_pid()
            """
        for _ in 0..<3_000 where try number(building, writer) == 0 { Thread.sleep(forTimeInterval: 0.01) }
        #expect(try number(building, writer) == 1, "it waits for the writer")
        try writer.run("\(change) DESC LIMIT 1)", [])
        try connection.commit(marking: nil)
        done.wait()
        #expect(try number(whole, session) == 1)
        #expect(try PostgreSQLMigrations.version(in: session).number == Self.newest + 3)
    }
}
