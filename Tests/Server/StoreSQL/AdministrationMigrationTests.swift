import Foundation
import GRDB
import KeyturnBase
import Testing

@testable import StoreSQL

@Suite("The migration for administration")
struct AdministrationMigrationTests {
    /// A database as an earlier release left it.
    private func withEarlier(keys: Int, _ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("test.db").path
        let queue = try DatabaseQueue(path: path)
        try await queue.writeWithoutTransaction { db in
            try Migrations.apply(Migrations.all.filter { $0.number < Migrations.administration.number }, to: db)
            for key in 0..<keys {
                try db.execute(
                    sql: "INSERT INTO signing_key VALUES (?, 'ES256', x'00', 0, 0, 1, 2)", arguments: ["key\(key)"])
            }
        }
        try queue.close()
        try await body(path)
    }

    @Test func `an installation that served before keeps the identifier that its tokens name`() async throws {
        try await withEarlier(keys: 1) { path in
            let database = try SQLiteDatabase(path: path)
            #expect(try await database.projectID(configured: nil, fresh: "new") == "P2KeyturnDemoProject0000000000")
            database.close()
        }
    }

    @Test func `one that never served gets an identifier of its own`() async throws {
        try await withEarlier(keys: 0) { path in
            let database = try SQLiteDatabase(path: path)
            #expect(try await database.projectID(configured: nil, fresh: "new") == "new")
            #expect(try await database.projectID(configured: nil, fresh: "newer") == "new")
            database.close()
        }
    }

    @Test func `searches of the audit log by kind, client, actor and address read an index`() throws {
        let database = try SQLiteDatabase(path: nil)
        for column in ["kind", "client_id", "actor", "address"] {
            let plan = try database.inspect { db in
                try db.all(
                    """
                    EXPLAIN QUERY PLAN SELECT * FROM audit_event WHERE \(column) IN ('x')
                    ORDER BY number DESC LIMIT 10
                    """, []
                ).map { $0["detail"] as String }
            }
            #expect(
                plan.contains { $0.contains("USING INDEX audit_event_\(column.replacing("_id", with: ""))") }, "\(plan)"
            )
        }
    }
}
