import Foundation
import GRDB
import KeyturnBase
import Testing

@testable import StoreSQL
@testable import keyturn

@Suite("keyturn migrate")
struct MigrateCommandTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    @Test func `a database of this release needs nothing`() throws {
        for run in [try place.run("migrate", "--check"), try place.run("migrate")] {
            #expect(run.status == 0 && run.output.contains("which is this release's"), "\(run)")
        }
    }

    @Test func `an older one is looked at without a change, then brought up to date`() throws {
        let newest = try #require(Migrations.all.last?.number)
        try FileManager.default.removeItem(atPath: place.database)
        let older = try DatabaseQueue(path: place.database)
        try older.writeWithoutTransaction { try Migrations.apply(Migrations.all.dropLast(), to: $0) }
        try older.close()
        let check = try place.run("migrate", "--check", "--json")
        #expect(check.status == 1)
        let said = try JSONValue(parsing: check.output.utf8)
        #expect(said["newest"] == .integer(Int64(newest)) && said["steps"] == [.integer(Int64(newest))])
        #expect(said["taken"] == false && said["rolling"] == false)
        #expect(try PendingSteps(path: place.database).present == newest - 1)
        let done = try place.run("migrate")
        #expect(done.status == 0 && done.output.contains("The schema is \(newest) now"), "\(done)")
        #expect(try PendingSteps(path: place.database).steps.isEmpty)
    }

    @Test func `one of a later release is refused, and what is no database as well`() throws {
        let file = try DatabaseQueue(path: place.database)
        try file.writeWithoutTransaction { try $0.execute(sql: "PRAGMA user_version = 9999") }
        try file.close()
        for run in [try place.run("migrate", "--check"), try place.run("migrate")] {
            #expect(run.status == 2 && run.errors.contains("newer release (schema 9999)"), "\(run)")
        }
        try FileManager.default.removeItem(atPath: place.database)
        #expect(try place.run("migrate", "--check").status == 2)
        try place.write(String(repeating: "no database ", count: 100), "users.db")
        let run = try place.run("migrate", "--check")
        #expect(run.status == 1 && run.errors.contains("is not a SQLite database"), "\(run)")
    }
}
