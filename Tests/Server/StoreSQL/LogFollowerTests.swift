import Foundation
import GRDB
import KeyturnBase
import Model
import Synchronization
import Testing

@testable import StoreSQL

/// Accounts between which writers move amounts: in every whole state their sum is the same.
@Suite("SQLite: following the log")
struct LogFollowerTests {
    private static let accounts = 40
    private static let sum: Int64 = 40_000
    private let folder: URL
    private var path: String { folder.appendingPathComponent("test.db").path }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func makeAccounts() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        try queue.writeWithoutTransaction { database in
            try database.execute(
                sql: """
                    PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
                    CREATE TABLE account (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL, note TEXT)
                    """)
            for id in 1...Self.accounts {
                try database.execute(
                    sql: "INSERT INTO account VALUES (?, ?, ?)",
                    arguments: [id, Self.sum / Int64(Self.accounts), String(repeating: "n", count: 900)])
            }
        }
        return queue
    }

    /// A connection as another process would have it, with what a process does to the log.
    private func write(until isEnded: @Sendable () -> Bool, checkpoint: String?) throws -> Int {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        var count = 0
        while !isEnded() {
            // The last connection that closes would move the log as well; the follower's stays.
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                try database.execute(sql: "PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 20")
                for _ in 0..<15 {
                    let (from, to) = (Int.random(in: 1...Self.accounts), Int.random(in: 1...Self.accounts))
                    try database.inTransaction(.immediate) {
                        try database.execute(
                            sql: "UPDATE account SET amount = amount - 7 WHERE id = ?", arguments: [from])
                        try database.execute(
                            sql: "UPDATE account SET amount = amount + 7 WHERE id = ?", arguments: [to])
                        return .commit
                    }
                    count += 1
                }
                if let checkpoint {
                    try? database.execute(sql: "PRAGMA busy_timeout = 20; PRAGMA wal_checkpoint(\(checkpoint))")
                }
            }
            try queue.close()
            Thread.sleep(forTimeInterval: 0.03)
        }
        return count
    }

    @Test(arguments: [nil, "PASSIVE", "RESTART", "TRUNCATE"])
    func `whatever writers do to the log, each state is whole and the last one is the database's`(
        checkpoint: String?
    ) async throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        let copy = try LogCopy(of: path, at: "\(path).copy")
        let writers = LogWriters()
        for _ in 0..<3 {
            writers.begin {
                try self.write(until: { writers.areToEnd.load(ordering: .relaxed) }, checkpoint: checkpoint)
            }
        }
        for round in 0..<40 {
            try follower.advance(copy.apply)
            if round % 8 == 0 { try follower.beginAnew(copy.apply) }
            if round % 10 == 0 { #expect(try copy.sum() == Self.sum) }
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(try await writers.end() > 0)
        #expect(copy.commits > 3)
        try follower.advance(copy.apply)
        #expect(try copy.sum() == Self.sum)
        try await compare(queue, copy.path)
    }

    /// Compares all rows.
    private func compare(_ queue: DatabaseQueue, _ copy: String) async throws {
        let select = "SELECT id || ':' || amount || ':' || note FROM account ORDER BY id"
        let expected = try await queue.read { try String.fetchAll($0, sql: select) }
        let found = try await DatabaseQueue(path: copy).read { try String.fetchAll($0, sql: select) }
        #expect(found == expected && found.count == Self.accounts)
    }

    @Test func `the log begins anew under a follower, and none of its pages is lost`() throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        let copy = try LogCopy(of: path, at: "\(path).copy")
        let first = follower.position
        try follower.beginAnew(copy.apply)
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a' WHERE id = 1") }
        try follower.advance(copy.apply)
        let second = follower.position
        #expect(first.salt != second.salt && second.frames < first.frames)
        #expect(throws: Never.self) { try follower.advance { _ in Issue.record("nothing was written") } }
    }

    @Test(arguments: ["RESTART", "TRUNCATE"])
    func `a log that another process had begin anew is not taken for a damaged one`(checkpoint: String) throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        let copy = try LogCopy(of: path, at: "\(path).copy")
        // All of it is in the file, and the follower's next snapshot is one of the file alone.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        try follower.advance(copy.apply)
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(\(checkpoint))") }
        try follower.beginAnew(copy.apply)
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a' WHERE id = 1") }
        var pages = 0
        try follower.advance { pages += $0.pages.count }
        #expect(pages > 0)
    }

    @Test func `what could not be written is read again`() throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        let before = follower.position
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a'") }
        #expect(throws: LogTestFailure.self) { try follower.advance { _ in throw LogTestFailure(text: "full") } }
        #expect(follower.position == before)
        try queue.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA busy_timeout = 20")
            // The follower is in the way.
            try? database.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
        var pages = 0
        try follower.advance { pages += $0.pages.count }
        #expect(pages > 0 && follower.position != before)
    }

    @Test func `a follower goes on where another one was, unless the log is another one`() throws {
        let queue = try makeAccounts()
        let first = try LogFollower(of: path)
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a' WHERE id = 1") }
        try first.advance { _ in }
        let position = first.position
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'b' WHERE id = 2") }

        let second = try LogFollower(of: path)
        #expect(try second.resume(from: position))
        var pages = 0
        try second.advance { pages += $0.pages.count }
        #expect(pages > 0)
        let other = LogPosition(salt: position.salt, frames: position.frames, checksum: position.checksum ^ 1)
        #expect(try !LogFollower(of: path).resume(from: other))
        let later = LogPosition(salt: position.salt, frames: position.frames + 1_000, checksum: position.checksum)
        #expect(try !LogFollower(of: path).resume(from: later))
    }

    @Test func `pages that could not be written, and are gone then, are not passed over`() throws {
        let queue = try makeAccounts()
        var first: LogFollower? = try LogFollower(of: path)
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a' WHERE id = 1") }
        try first?.advance { _ in }
        let position = try #require(first?.position)
        first = nil
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'b' WHERE id = 2") }
        // All of the log is in the file, so the next commit may begin it anew.
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(PASSIVE)") }
        let second = try LogFollower(of: path)
        #expect(try second.resume(from: position))
        #expect(throws: LogTestFailure.self) { try second.advance { _ in throw LogTestFailure(text: "full") } }
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'c' WHERE id = 3") }
        #expect(throws: LogProblem.broken) { try second.advance { _ in } }
    }

    @Test func `a page of the log that is damaged is not passed over`() throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        for id in 1...2 { try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a' WHERE id = \(id)") } }
        let log = try #require(FileHandle(forUpdatingAtPath: "\(path)-wal"))
        try log.seek(toOffset: UInt64(32 + follower.position.frames * (24 + 4_096) + 1_000))
        try log.write(contentsOf: [1, 2, 3])
        #expect(throws: LogProblem.damaged) { try follower.beginAnew { _ in } }
    }

    @Test func `a follower that is away for a while finds the log again`() throws {
        let queue = try makeAccounts()
        var first: LogFollower? = try LogFollower(of: path)
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a' WHERE id = 1") }
        try first?.advance { _ in }
        try first?.advance { _ in }
        let position = try #require(first?.position)
        first = nil
        for _ in 0..<3 { try queue.write { try $0.execute(sql: "UPDATE account SET note = 'b' WHERE id = 2") } }
        let second = try LogFollower(of: path)
        #expect(try second.resume(from: position))
        #expect(try second.advance { _ in } > 0)
    }

    @Test func `pages that are not committed, or are another log's, are not read`() throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        let copy = try LogCopy(of: path, at: "\(path).copy")
        try queue.writeWithoutTransaction { database in
            // A transaction that is too large for the cache is written to the log before its end.
            try database.execute(sql: "PRAGMA cache_size = 5; BEGIN")
            try database.execute(sql: "UPDATE account SET note = randomblob(1800)")
            #expect(try follower.advance(copy.apply) == 0)
            try database.execute(sql: "ROLLBACK")
            #expect(try follower.advance(copy.apply) == 0)
            try database.execute(sql: "UPDATE account SET note = 'after' WHERE id = 3")
        }
        #expect(try follower.advance(copy.apply) > 0)
        #expect(try copy.sum() == Self.sum)
    }

    @Test func `a log that began anew while none followed is not taken for the same`() throws {
        let queue = try makeAccounts()
        var position: LogPosition?
        do {
            let first = try LogFollower(of: path)
            try queue.write { try $0.execute(sql: "UPDATE account SET note = 'a' WHERE id = 1") }
            try first.advance { _ in }
            position = first.position
        }
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        try queue.write { try $0.execute(sql: "UPDATE account SET note = 'b' WHERE id = 2") }
        let second = try LogFollower(of: path)
        #expect(try !second.resume(from: #require(position)))
    }

    @Test func `a database that took the place of the one that is followed is not taken for it`() throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        try queue.close()
        for name in [path, "\(path)-wal", "\(path)-shm"] { try FileManager.default.removeItem(atPath: name) }
        let other = try makeAccounts()
        #expect(throws: LogProblem.broken) { try follower.advance { _ in } }
        try other.close()
    }

    @Test func `a database without a log, or none at all, is refused`() throws {
        #expect(throws: LogProblem.noDatabase) { try LogFollower(of: path) }
        let queue = try DatabaseQueue(path: path)
        try queue.write { try $0.execute(sql: "CREATE TABLE a (b)") }
        try queue.close()
        #expect(throws: LogProblem.noLog) { try LogFollower(of: path) }
    }

    @Test func `a transaction of many pages comes in pieces, and counts with the last one`() throws {
        let queue = try makeAccounts()
        let follower = try LogFollower(of: path)
        let copy = try LogCopy(of: path, at: "\(path).copy")
        try queue.write { database in
            try database.execute(sql: "CREATE TABLE large (bytes BLOB)")
            for _ in 0..<1_500 {
                try database.execute(sql: "INSERT INTO large VALUES (randomblob(3900))")
            }
        }
        var pieces: [Bool] = []
        try follower.advance { piece in
            #expect(piece.pages.count <= 256)
            pieces.append(piece.isLast)
            try copy.apply(piece)
        }
        #expect(pieces.count >= 6 && pieces.dropLast().allSatisfy { !$0 } && pieces.last == true)
        #expect(copy.commits == 1)
        #expect(try copy.sum() == Self.sum)
    }
}

private struct LogTestFailure: Error {
    let text: String
}
