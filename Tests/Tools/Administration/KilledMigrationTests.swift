import Foundation
import GRDB
import KeyturnBase
import ServerTesting
import Testing

@testable import StoreSQL
@testable import keyturn

@Suite("A migration that is killed")
struct KilledMigrationTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    /// The tables and indexes of a file, in the words that made them.
    private func schema(_ path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        let sql = "SELECT sql FROM sqlite_master WHERE sql > '' ORDER BY sql"
        return try queue.read { try String.fetchAll($0, sql: sql) }
    }

    /// Kills `keyturn migrate` on a file of the first release, between two steps or inside of one.
    ///
    /// - Returns: the number of the last step.
    private func killed(_ path: String) throws -> Int {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA journal_mode = WAL")
            try Migrations.apply([Migrations.all[0]], to: database)
        }
        let (process, _, _) = try place.start(
            ["migrate", "--database", "sqlite:\(path)"], namesDatabase: false)
        while process.isRunning, try queue.read({ try Migrations.version(of: $0).number }) == 1 {
            Thread.sleep(forTimeInterval: 0.001)
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return try queue.read { try Migrations.version(of: $0).number }
    }

    @Test func `SQLite: the next one takes the steps that are missing`() throws {
        var path = place.path("1.db")
        var reached = try killed(path)
        // On a busy machine all steps may be taken before this process looks again.
        for number in 2..<10 where reached == Migrations.newest {
            path = place.path("\(number).db")
            reached = try killed(path)
        }
        #expect(reached > 1 && reached < Migrations.newest)
        let run = try place.run("migrate", "--database", "sqlite:\(path)", namesDatabase: false)
        #expect(run.status == 0 && run.output.contains("it was \(reached)."), "\(run)")
        #expect(try schema(path) == schema(place.database))
        #expect(try DatabaseInspection.check(path).schema == Migrations.newest)
    }

    @Test func `PostgreSQL: the next one takes the steps that are missing`() throws {
        let address = try PostgreSQLServer.shared().makeEmptyDatabase()
        let connection = try PostgreSQLConnection(address, defaults: [])
        try PostgreSQLMigrations.apply([PostgreSQLMigrations.all[0]], to: connection)
        // The second step after it needs this table for itself.
        let reader = try PostgreSQLConnection(address, defaults: [])
        try reader.beginSnapshot()
        _ = try SQLSession(reader).all("SELECT number FROM audit_event", [])
        let (process, _, errors) = try place.start(["migrate", "--database", address], namesDatabase: false)
        let first = Baseline.number + 1
        while process.isRunning, try PostgreSQLMigrations.version(of: connection).number < first {
            Thread.sleep(forTimeInterval: 0.01)
        }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        let said = try String(contentsOf: errors, encoding: .utf8)
        #expect(try PostgreSQLMigrations.version(of: connection).number == first, "\(said)")
        try reader.rollBack()
        let run = try place.run("migrate", "--database", address, namesDatabase: false)
        #expect(run.status == 0 && run.output.contains("it was \(first)."), "\(run)")
        #expect(try PostgreSQLMigrations.version(of: connection).number == PostgreSQLMigrations.newest)
    }
}
