import Foundation
import GRDB
import KeyturnBase
import Model
import ServerTesting
import Testing

@testable import StoreSQL

@Suite("Copying a database")
struct DatabaseCopyTests {
    @Test func `rows of every table go from SQLite to PostgreSQL and back, and are the same`() throws {
        let filled = try FilledDatabase(rows: 23)
        let before = try FilledDatabase.contents(of: filled.path)
        let sandbox = try PostgreSQLSandbox()
        let there = try filled.side.copy(to: sandbox.side())
        #expect(there.isGood && there.differences == [] && there.earlierRows == 0)
        #expect(there.tables.map(\.name) == CopiedTable.all.map(\.name))
        #expect(there.tables.allSatisfy { $0.rows > 0 }, "no table is without rows")
        #expect(there.copiedRows == there.tables.map(\.rows).reduce(0, +) && there.copiedRows > 1_200)
        #expect(there.comparedRows == there.copiedRows)
        #expect(
            try sandbox.session().search("SELECT tablename FROM pg_tables WHERE tablename = 'database_copy'", [])
                .isEmpty)

        let path = filled.target("back.db")
        let back = try sandbox.side().copy(to: .sqlite(path: path), batchRows: 100)
        #expect(back.isGood && back.copiedRows == there.copiedRows)
        let after = try FilledDatabase.contents(of: path)
        #expect(Set(after.keys) == Set(before.keys))
        for (table, rows) in before { #expect(after[table] == rows, "\(table)") }
        #expect(try FilledDatabase.contents(of: filled.path) == before, "the source is as it was")
        #expect(try filled.side.comparison(with: .sqlite(path: path)).isGood)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
    }

    @Test(arguments: [true, false])
    func `a copy that is stopped after each batch goes on there, and no server starts on it`(
        toPostgreSQL: Bool
    ) throws {
        let filled = try FilledDatabase(rows: 5)
        let sandbox = try PostgreSQLSandbox()
        let path = filled.target("copy.db")
        let open: () throws -> Void
        let (source, target): (DatabaseSide, DatabaseSide)
        if toPostgreSQL {
            (source, target) = (filled.side, try sandbox.side())
            open = { try sandbox.database().close() }
        } else {
            try filled.side.copy(to: sandbox.side())
            (source, target) = (try sandbox.side(), .sqlite(path: path))
            open = { try SQLiteDatabase(path: path).close() }
        }
        var stops = 0
        var last: CopyReport?
        while last == nil {
            do {
                last = try source.copy(to: target, batchRows: 3) { progress in
                    if progress.phase == .copying { throw Stop() }
                }
            } catch is Stop {
                stops += 1
                #expect(throws: OpenProblem.unfinishedCopy) { try open() }
            }
        }
        let report = try #require(last)
        #expect(report.isGood && report.copiedRows == 0)
        #expect(report.earlierRows == report.tables.map(\.rows).reduce(0, +))
        #expect(stops > CopiedTable.all.count)
        try open()
        #expect(try source.comparison(with: target).isGood)
    }

    @Test func `a copy that is stopped while it compares is compared again from the start`() throws {
        let filled = try FilledDatabase(rows: 3)
        let target = DatabaseSide.sqlite(path: filled.target("copy.db"))
        #expect(throws: Stop.self) {
            try filled.side.copy(to: target) { progress in
                if progress.phase == .comparing, progress.table == "grant_" { throw Stop() }
            }
        }
        let report = try filled.side.copy(to: target)
        #expect(report.isGood && report.copiedRows == 0 && report.comparedRows == report.earlierRows)
    }

    @Test func `a connection that is ended is told with what to do, and the copy goes on afterwards`() throws {
        let filled = try FilledDatabase(rows: 20)
        let sandbox = try PostgreSQLSandbox()
        let other = try PostgreSQLConnection(PostgreSQLServer.shared().address(of: "postgres"), defaults: [])
        let problem = #expect(throws: CopyProblem.self) {
            try filled.side.copy(to: sandbox.side()) { progress in
                guard progress.table == "passkey" else { return }
                _ = try SQLSession(other).search(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ?", [sandbox.name])
            }
        }
        guard case .engine(.to, let reason) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(reason.contains("PostgreSQL says"))
        let report = try filled.side.copy(to: sandbox.side())
        #expect(report.isGood && report.earlierRows > 0 && report.copiedRows > 0)
    }

    @Test(arguments: [true, false])
    func `each changed, missing and additional row is found`(inPostgreSQL: Bool) throws {
        let filled = try FilledDatabase(rows: 9)
        let sandbox = try PostgreSQLSandbox()
        let path = filled.target("copy.db")
        let target = inPostgreSQL ? try sandbox.side() : DatabaseSide.sqlite(path: path)
        try filled.side.copy(to: target)
        try target.write(.to) { database in
            let db = database.session
            try db.run("UPDATE client SET metadata = metadata || ' ' WHERE id = 'id 3 \u{1F511}\t''\"\\'", [])
            // Equal for Swift, and not for a database.
            try db.run("UPDATE tenant SET name = 'name 1 \u{E9}', created_at = 5 WHERE id = 'id 1 e\u{301}'", [])
            try db.run("DELETE FROM audit_event WHERE number = 4", [])
            try db.run("INSERT INTO budget (key, spent, ends_at) VALUES ('zz', 1, 1)", [])
        }
        let report = try filled.side.comparison(with: target)
        #expect(!report.isGood && report.differenceCount == 6)
        #expect(
            report.differences.map { "\($0.table) \($0.reason)" } == [
                "client differs in metadata", "tenant differs in name, created_at", "budget is in TO alone",
                "audit_event is missing in TO",
                // The triggers of the two updates raised it.
                "revision is missing in TO", "revision is in TO alone",
            ])
        #expect(report.differences.first { $0.table == "audit_event" }?.key == "number = 4")
    }

    @Test func `a difference keeps a copy unfinished`() throws {
        let filled = try FilledDatabase(rows: 9)
        let path = filled.target("copy.db")
        var isChanged = false
        let report = try filled.side.copy(to: .sqlite(path: path)) { progress in
            guard progress.phase == .copying, progress.table == "revision", !isChanged else { return }
            isChanged = true
            try DatabaseQueue(path: path).write { try $0.execute(sql: "UPDATE password SET hash = 'x'") }
        }
        #expect(report.differenceCount == 9 && report.differences.first?.table == "password")
        #expect(throws: OpenProblem.unfinishedCopy) { try SQLiteDatabase(path: path) }
    }

    @Test(arguments: [true, false])
    func `a source that is written meanwhile is told, and no server starts on the copy`(isSQLite: Bool) throws {
        let filled = try FilledDatabase(rows: 9)
        let sandbox = try PostgreSQLSandbox()
        if !isSQLite { try filled.side.copy(to: sandbox.side()) }
        let source = isSQLite ? filled.side : try sandbox.side()
        let path = filled.target("copy.db")
        let report = try source.copy(to: .sqlite(path: path)) { progress in
            guard progress.phase == .copying, progress.table == "site_user", progress.tableRows == 4 else { return }
            _ = try source.write(.from) { try $0.session.run("UPDATE grant_ SET counter = 77 WHERE counter = 0", []) }
        }
        #expect(report.hasSourceChanged && report.differences == [], "the copy has the rows as they were")
        #expect(throws: OpenProblem.unfinishedCopy) { try SQLiteDatabase(path: path) }
    }

    @Test func `a file that a killed server left is copied with its log`() throws {
        let filled = try FilledDatabase(rows: 2)
        let server = try DatabasePool(path: filled.path)
        try server.write { try $0.execute(sql: "UPDATE tenant SET name = 'late'") }
        let left = filled.target("left.db")
        for end in ["", "-wal"] { try FileManager.default.copyItem(atPath: filled.path + end, toPath: left + end) }
        try server.close()
        let path = filled.target("copy.db")
        #expect(try DatabaseSide.sqlite(path: left).copy(to: .sqlite(path: path)).isGood)
        let names = try DatabaseQueue(path: path).read { try String.fetchAll($0, sql: "SELECT name FROM tenant") }
        #expect(names == ["late", "late"])
    }

    @Test func `rows that are added to a copy get new numbers`() async throws {
        let filled = try FilledDatabase(rows: 6)
        let sandbox = try PostgreSQLSandbox()
        try filled.side.copy(to: sandbox.side())
        let path = filled.target("back.db")
        try sandbox.side().copy(to: .sqlite(path: path))
        let sequence = "SELECT seq FROM sqlite_sequence WHERE name = 'audit_event'"
        let used = try #require(try await filled.queue().read { try Int64.fetchOne($0, sql: sequence) })
        let copies: [any SQLDatabase] = [try sandbox.database(), try SQLiteDatabase(path: path)]
        for database in copies {
            let stores = database.stores()
            try await stores.audit.append([AuditEvent(.signedIn, at: UnixTime(rawValue: 1))])
            #expect(try await stores.audit.head().number == used + 1)
            let user = try await sandbox.user(stores, "new")
            let rows = try await database.read { db in
                try db.all("SELECT id FROM \"user\" ORDER BY rowid DESC LIMIT 1", []).map { $0["id"] as String }
            }
            #expect(rows == [user.rawValue])
            database.close()
        }
    }
}
