import Foundation
import GRDBSQLite
import NIOCore
import Synchronization

/// SQLite's own interface, with a table whose rows are as large as a grant's.
enum BareDatabase {
    static let rows: Int64 = 64

    static func open(_ path: String) -> OpaquePointer? {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        precondition(sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK)
        sqlite3_busy_timeout(handle, 5_000)
        return handle
    }

    static func prepare(_ sql: String, _ handle: OpaquePointer?) -> OpaquePointer? {
        var statement: OpaquePointer?
        precondition(
            sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK)
        return statement
    }

    static func run(_ statement: OpaquePointer?) {
        while sqlite3_step(statement) == SQLITE_ROW {}
        sqlite3_reset(statement)
    }

    /// The answer from the row that the statement is at.
    static func answer(_ statement: OpaquePointer?) -> String {
        let name = sqlite3_column_text(statement, 1).map { String(cString: $0) } ?? ""
        return #"{"sub":""# + name + #"","exp":"# + String(sqlite3_column_int64(statement, 2)) + "}"
    }
}

/// One connection that reads.
final class BareReader {
    private let statement: OpaquePointer?

    init(_ path: String) {
        statement = BareDatabase.prepare("SELECT id, name, expires, text FROM t WHERE id = ?", BareDatabase.open(path))
    }

    func read(_ count: Int64) -> String {
        sqlite3_bind_int64(statement, 1, count % BareDatabase.rows)
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? BareDatabase.answer(statement) : ""
    }
}

/// One thread that writes: what waits is committed together.
final class BareWriter: Sendable {
    private struct Job: Sendable {
        let id: Int64
        let loop: any EventLoop
        let done: @Sendable (String) -> Void
    }

    private let waiting = Mutex<[Job]>([])
    private let bell = DispatchSemaphore(value: 0)

    init(_ path: String) throws {
        let handle = BareDatabase.open(path)
        let schema = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, expires INTEGER, text TEXT)
            """
        precondition(sqlite3_exec(handle, schema, nil, nil, nil) == SQLITE_OK)
        for id in 0..<BareDatabase.rows {
            let text = String(repeating: "x", count: 280)
            sqlite3_exec(handle, "INSERT INTO t VALUES (\(id), 'user-\(id)', 0, '\(text)')", nil, nil, nil)
        }
        let own = Int(bitPattern: handle)
        Thread.detachNewThread { self.work(OpaquePointer(bitPattern: own)) }
    }

    func write(_ count: Int64, on loop: any EventLoop, done: @escaping @Sendable (String) -> Void) {
        waiting.withLock { $0.append(Job(id: count % BareDatabase.rows, loop: loop, done: done)) }
        bell.signal()
    }

    private func work(_ handle: OpaquePointer?) {
        let begin = BareDatabase.prepare("BEGIN IMMEDIATE", handle)
        let commit = BareDatabase.prepare("COMMIT", handle)
        let update = BareDatabase.prepare(
            "UPDATE t SET expires = expires + 1 WHERE id = ? AND expires >= 0 RETURNING id, name, expires, text", handle
        )
        while true {
            bell.wait()
            let jobs = waiting.withLock { jobs in
                defer { jobs = [] }
                return jobs
            }
            guard !jobs.isEmpty else { continue }
            BareDatabase.run(begin)
            let answers = jobs.map { job in
                sqlite3_bind_int64(update, 1, job.id)
                defer { sqlite3_reset(update) }
                return sqlite3_step(update) == SQLITE_ROW ? BareDatabase.answer(update) : ""
            }
            BareDatabase.run(commit)
            for (job, answer) in zip(jobs, answers) { job.loop.execute { job.done(answer) } }
        }
    }
}
