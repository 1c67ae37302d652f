import Foundation
import GRDB
import KeyturnBase
import Model
import ServerTesting
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
        let last = try #require(Migrations.all.last)
        let newest = last.number
        try FileManager.default.removeItem(atPath: place.database)
        let older = try DatabaseQueue(path: place.database)
        try older.writeWithoutTransaction { try Migrations.apply(Migrations.all.dropLast(), to: $0) }
        try older.close()
        let check = try place.run("migrate", "--check", "--json")
        #expect(check.status == 1)
        let said = try JSONValue(parsing: check.output.utf8)
        #expect(said["newest"] == .integer(Int64(newest)) && said["steps"] == [.integer(Int64(newest))])
        #expect(said["taken"] == false && said["rolling"] == .bool(last.oldest < newest))
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

    @Test func `a step that changes many rows is told with each tenth of them, and each other step once`() {
        func told(_ number: Int, _ rows: [Int], of total: Int, _ pace: inout StepPace) -> [Int] {
            rows.filter { pace.isDue(StepProgress(number: number, newest: 41, rows: $0, total: total)) }
        }
        var pace = StepPace()
        #expect(told(39, [0], of: 0, &pace) == [0])
        let batches = Array(stride(from: 0, through: 50_000, by: 1_000))
        #expect(told(40, batches, of: 50_000, &pace) == Array(stride(from: 0, through: 50_000, by: 5_000)))
        #expect(told(41, [0, 0], of: 0, &pace) == [0])
        let progress = StepProgress(number: 40, newest: 41, rows: 2_000, total: 50_000)
        #expect(MigrateCommand.text(of: progress) == "step 40 of 41: 2000 of 50000 rows")
        #expect(MigrateCommand.text(of: StepProgress(number: 41, newest: 41)) == "step 41 of 41")
    }

    @Test func `a server that starts says which step it takes`() throws {
        let file = try DatabaseQueue(path: place.path("older.db"))
        try file.writeWithoutTransaction { try Migrations.apply(Migrations.all.dropLast(), to: $0) }
        try file.close()
        let address = "sqlite:\(place.path("older.db"))"
        let (process, output, errors) = try place.start(
            ["serve", "--listen", "127.0.0.1:0", "--database", address], namesDatabase: false)
        while process.isRunning, try String(contentsOf: output, encoding: .utf8).isEmpty {
            Thread.sleep(forTimeInterval: 0.05)
        }
        process.terminate()
        process.waitUntilExit()
        let log = try String(contentsOf: errors, encoding: .utf8)
        #expect(log.contains("schema") && log.contains("step=\(Migrations.newest)"), "\(log)")
    }

    @Test func `one of the next release is left as it is, and backed up and restored as it is`() throws {
        let newest = Migrations.newest
        let next = Migration(number: newest + 1, oldest: newest, sql: "CREATE TABLE later (id INTEGER PRIMARY KEY)")
        let file = try DatabaseQueue(path: place.database)
        try file.writeWithoutTransaction { try Migrations.apply(Migrations.all + [next], to: $0) }
        try file.close()
        for run in [try place.run("migrate", "--check"), try place.run("migrate")] {
            #expect(run.status == 0 && run.output.contains("a newer release's"), "\(run)")
        }
        let said = try JSONValue(parsing: place.run("migrate", "--json").output.utf8)
        #expect(said["newer"] == true && said["taken"] == false && said["schema"] == .integer(Int64(newest + 1)))

        let backup = try place.run("backup", place.path("b.db"))
        #expect(backup.status == 0 && backup.output.contains("schema \(newest + 1)"), "\(backup)")
        let verified = try place.run("backup", "verify", place.path("b.db"), namesDatabase: false)
        #expect(verified.status == 0 && verified.output.contains("schema \(newest + 1)"), "\(verified)")
        let back = try place.restore(place.path("b.db"), database: "sqlite:\(place.path("back.db"))")
        #expect(back.status == 0 && !back.output.contains("older release"), "\(back)")
        #expect(try PendingSteps(path: place.path("back.db")).isNewer)
        #expect(try place.events(.databaseRestored, in: place.path("back.db")).count == 1)

        let elsewhere = try PostgreSQLServer.shared().makeEmptyDatabase()
        let moved = try place.restore(place.path("b.db"), database: elsewhere)
        #expect(moved.status == 2 && moved.errors.contains("the backup cannot be copied"), "\(moved)")
        let copied = try place.run(
            "database", "copy", "sqlite:\(place.database)", elsewhere, namesDatabase: false)
        #expect(copied.status == 2 && copied.errors.contains("newer release"), "\(copied)")
    }
}
