import Foundation
import GRDB
import KeyturnBase
import Synchronization
import Testing

@testable import StoreSQL

/// What a restore does with the pages.
final class LogCopy {
    let path: String
    private let handle: FileHandle
    private var waiting: [LogPiece] = []
    private(set) var commits = 0

    /// Everything that was committed is in the file first.
    init(of original: String, at path: String) throws {
        self.path = path
        let connection = try SQLiteConnection(original, .write)
        let length = try #require(try connection.number("PRAGMA user_version") == 0 ? connection.logLength() : nil)
        #expect(length.moved == length.pages)
        try FileManager.default.copyItem(atPath: original, toPath: path)
        handle = try #require(FileHandle(forUpdatingAtPath: path))
    }

    func apply(_ piece: LogPiece) throws {
        waiting.append(piece)
        guard piece.isLast else { return }
        for (number, bytes) in waiting.flatMap(\.pages) {
            try handle.seek(toOffset: UInt64(number - 1) * UInt64(piece.pageBytes))
            try handle.write(contentsOf: bytes)
        }
        try handle.truncate(atOffset: UInt64(piece.pageCount) * UInt64(piece.pageBytes))
        waiting = []
        commits += 1
    }

    /// The sum of the accounts, once the file is sound.
    func sum() throws -> Int64? {
        let other = "\(path).look"
        try? FileManager.default.removeItem(atPath: other)
        try FileManager.default.copyItem(atPath: path, toPath: other)
        let queue = try DatabaseQueue(path: other)
        defer { try? queue.close() }
        return try queue.read { database in
            #expect(try String.fetchAll(database, sql: "PRAGMA integrity_check") == ["ok"])
            return try Int64.fetchOne(database, sql: "SELECT sum(amount) FROM account")
        }
    }
}

/// Threads that write until they are told to end.
final class LogWriters: Sendable {
    let areToEnd = Atomic(false)
    private let results = Mutex<[Result<Int, any Error>]>([])
    private let count = Atomic(0)

    func begin(_ body: @escaping @Sendable () throws -> Int) {
        count.add(1, ordering: .relaxed)
        DetachedThread.start {
            let result = Result { try body() }
            self.results.withLock { $0.append(result) }
        }
    }

    /// - Returns: what they wrote.
    func end() async throws -> Int {
        areToEnd.store(true, ordering: .relaxed)
        while results.withLock({ $0.count }) < count.load(ordering: .relaxed) {
            try await Task.sleep(for: .milliseconds(5))
        }
        return try results.withLock { try $0.reduce(0) { try $0 + $1.get() } }
    }
}
