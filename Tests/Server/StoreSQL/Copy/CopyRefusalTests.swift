import Foundation
import GRDB
import Testing

@testable import StoreSQL

@Suite("Copying a database: what is refused")
struct CopyRefusalTests {
    @Test func `a new source for an unfinished copy is refused, and so is a source that was used in between`() throws {
        let filled = try FilledDatabase(rows: 2)
        let path = filled.target("copy.db")
        #expect(throws: Stop.self) { try filled.side.copy(to: .sqlite(path: path)) { _ in throw Stop() } }
        let sandbox = try PostgreSQLSandbox()
        try filled.side.copy(to: sandbox.side())
        #expect(throws: CopyProblem.otherCopy) { try sandbox.side().copy(to: .sqlite(path: path)) }
        try filled.write { try $0.execute(sql: "INSERT INTO audit_event (kind, at) VALUES ('x', 1)") }
        #expect(throws: CopyProblem.otherCopy) { try filled.side.copy(to: .sqlite(path: path)) }
    }

    @Test func `a target that is not empty is refused and stays as it is`() throws {
        let (filled, other) = (try FilledDatabase(rows: 2), try FilledDatabase(rows: 3))
        let before = try Data(contentsOf: URL(fileURLWithPath: other.path))
        #expect(throws: CopyProblem.notEmpty(table: "access_key")) { try filled.side.copy(to: other.side) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: other.path)) == before)
        #expect(throws: CopyProblem.same) { try filled.side.copy(to: filled.side) }

        let foreign = filled.target("foreign.db")
        let queue = try DatabaseQueue(path: foreign)
        try queue.write { try $0.execute(sql: "CREATE TABLE song (title TEXT)") }
        try queue.close()
        let song = try Data(contentsOf: URL(fileURLWithPath: foreign))
        #expect(throws: CopyProblem.notEmpty(table: "song")) { try filled.side.copy(to: .sqlite(path: foreign)) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: foreign)) == song)

        let sandbox = try PostgreSQLSandbox()
        try sandbox.connection().script("CREATE TABLE song (title text)")
        #expect(throws: CopyProblem.notEmpty(table: "song")) { try filled.side.copy(to: sandbox.side()) }
    }

    @Test func `of two copies into one database, one goes on`() throws {
        let filled = try FilledDatabase(rows: 9)
        let sandbox = try PostgreSQLSandbox()
        #expect(throws: CopyProblem.taken) {
            try filled.side.copy(to: sandbox.side()) { progress in
                guard progress.table == "consent", progress.tableRows == 4 else { return }
                #expect(throws: Stop.self) {
                    try filled.side.copy(to: sandbox.side()) { if $0.table == "password" { throw Stop() } }
                }
            }
        }
        #expect(try filled.side.copy(to: sandbox.side()).isGood)
    }

    @Test func `a database with a schema and no rows may be copied into`() throws {
        let filled = try FilledDatabase(rows: 2)
        let sandbox = try PostgreSQLSandbox()
        try sandbox.database().close()
        #expect(try filled.side.copy(to: sandbox.side()).isGood)
    }

    @Test func `a source that is no database of this release is refused`() throws {
        let filled = try FilledDatabase(rows: 1)
        let target = DatabaseSide.sqlite(path: filled.target("copy.db"))
        #expect(throws: CopyProblem.notOpened(.from, .noFile(path: filled.target("none.db")))) {
            try DatabaseSide.sqlite(path: filled.target("none.db")).copy(to: target)
        }
        let old = filled.target("old.db")
        try DatabaseQueue(path: old).writeWithoutTransaction {
            try Migrations.apply(Array(Migrations.all.prefix(9)), to: $0)
        }
        let newest = try #require(Migrations.all.last?.number)
        #expect(throws: CopyProblem.otherSchema(.from, version: 9, newest: newest)) {
            try DatabaseSide.sqlite(path: old).copy(to: target)
        }
        let text = filled.target("text.db")
        try Data(String(repeating: "no database", count: 100).utf8).write(to: URL(fileURLWithPath: text))
        #expect(throws: CopyProblem.notOpened(.from, .notADatabase(path: text))) {
            try DatabaseSide.sqlite(path: text).copy(to: target)
        }
        let empty = try PostgreSQLSandbox()
        #expect(throws: CopyProblem.noSchema(.from)) { try empty.side().copy(to: target) }
        #expect(!FileManager.default.fileExists(atPath: filled.target("copy.db")))
    }

    @Test(arguments: [("x'610062'", "U+0000"), ("x'61FF'", "not UTF-8")])
    func `a text that PostgreSQL does not take is named with its row`(bytes: String, reason: String) throws {
        let filled = try FilledDatabase(rows: 3)
        try filled.write { db in
            try db.execute(sql: "UPDATE tenant SET name = CAST(\(bytes) AS TEXT) WHERE id = 'id 2 é'")
        }
        let sandbox = try PostgreSQLSandbox()
        let problem = #expect(throws: CopyProblem.self) { try filled.side.copy(to: sandbox.side()) }
        #expect(problem?.description.contains("tenant") == true && problem?.description.contains(reason) == true)
        #expect(problem?.description.contains("id = 'id 2 é'") == true && problem?.description.contains("name") == true)
    }

    @Test func `a row that the target refuses is named`() throws {
        let filled = try FilledDatabase(rows: 3)
        let queue = try filled.queue()
        try queue.writeWithoutTransaction { db in
            try db.execute(
                sql: "PRAGMA foreign_keys = OFF; UPDATE password SET user_id = 'gone' WHERE user_id = 'id 0'")
        }
        try queue.close()
        let sandbox = try PostgreSQLSandbox()
        let problem = #expect(throws: CopyProblem.self) { try filled.side.copy(to: sandbox.side()) }
        guard case .unfitRow("password", "user_id = 'gone'", let reason) = problem else {
            Issue.record("\(String(describing: problem))")
            return
        }
        #expect(reason.contains("foreign key"))
    }
}
