import Foundation
import GRDB
import KeyturnBase
import Synchronization
import Testing

@testable import StoreSQL

@Suite("The schema's steps")
struct MigrationRaceTests {
    private static let openers = 12

    /// A file that an earlier release has left.
    private func oldFile(steps: Int) throws -> String {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appendingPathComponent("old.db").path
        let pool = try DatabasePool(path: path)
        try pool.writeWithoutTransaction { try Migrations.apply(Array(Migrations.all.prefix(steps)), to: $0) }
        try pool.close()
        return path
    }

    private func version(_ path: String) throws -> Int? {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { try Int.fetchOne($0, sql: "PRAGMA user_version") }
    }

    @Test(arguments: [1, 3, 9, Migrations.all.count - 1])
    func `each step of an old file is taken once, however many open it together`(steps: Int) throws {
        let path = try oldFile(steps: steps)
        #expect(try version(path) == Migrations.all[steps - 1].number)
        let problems = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: Self.openers) { _ in
            do {
                try SQLiteDatabase(path: path).close()
            } catch {
                problems.withLock { $0.append("\(error)") }
            }
        }
        #expect(problems.withLock { $0 } == [])
        #expect(try version(path) == Migrations.all.last?.number)
    }

    @Test func `the steps are in the order of their numbers`() {
        let numbers = Migrations.all.map(\.number)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    }

    @Test func `each step lets servers of the schema before go on, which is the same in both engines`() {
        // SQLite's files say so from the step after these on.
        let unmarked = 38
        for step in PostgreSQLMigrations.all.dropFirst() { #expect(step.oldest < step.number, "\(step.number)") }
        func rules(_ steps: [Migration]) -> [[Int]] {
            steps.filter { $0.number > unmarked }.map { [$0.number, $0.oldest] }
        }
        #expect(rules(Migrations.all) == rules(PostgreSQLMigrations.all))
    }
}
