internal import Foundation
internal import GRDBSQLite

/// Reads the write-ahead log of a database that servers and commands use, and misses no page of it.
///
/// SQLite begins a log anew when all of it is in the file and no reader needs it. So this holds a snapshot at any time:
/// - With a snapshot in the log, the log is not begun anew.
/// - With a snapshot of the file alone, the log can be begun anew once, as everything before is in the file then; and
///   nothing of the next log can be moved, so it stays.
///
/// The next snapshot begins before the log is read, and the one before ends afterwards. Whatever process writes, the
/// pages between the two were read.
package final class LogFollower {
    private let file: LogFile
    private let checkpoints: SQLiteConnection
    private let writer: SQLiteConnection
    private var holder: Snapshot
    private var spare: Snapshot
    /// How far the log was read.
    package private(set) var position: LogPosition
    /// Whether pages that were not read can be lost with the log: they were written before the snapshot.
    private var isBehind = false

    /// Longest wait for others that move the log, in seconds.
    private static let patience = 2.0
    private static let pauseSeconds = 0.005

    /// Follows from now on.
    ///
    /// - Throws: ``LogProblem``, and ``BackupProblem`` if it is no database of a server.
    package init(of path: String) throws {
        guard FileManager.default.fileExists(atPath: path) else { throw LogProblem.noDatabase }
        file = LogFile(path: "\(path)-wal")
        do {
            checkpoints = try SQLiteConnection(path, .write)
            guard try checkpoints.text("PRAGMA journal_mode") == "wal" else { throw LogProblem.noLog }
            writer = try SQLiteConnection(path, .write)
            holder = Snapshot(try SQLiteConnection(path, .read))
            spare = Snapshot(try SQLiteConnection(path, .read))
            position = LogPosition(salt: nil, frames: 0, checksum: 0)
            try holder.begin()
            position = try place(end())
        } catch let problem as SQLiteProblem {
            throw LogProblem.engine(problem.description)
        }
    }

    /// Goes on where a log was read to before.
    ///
    /// - Returns: `false` if it is not known that all that followed is still there.
    package func resume(from earlier: LogPosition) throws -> Bool {
        let end = try end()
        guard let head = end.head, head.salt == earlier.salt, earlier.frames > 0, earlier.frames <= end.frames else {
            return false
        }
        let last = try LogFile.frameHead(file.open(), earlier.frames - 1, head)
        guard last.salt == head.salt, last.checksum == earlier.checksum else { return false }
        (position, isBehind) = (earlier, true)
        return true
    }

    /// Reads all that was committed since.
    ///
    /// - Parameter write: gets the pages; the last piece makes the database whole. What it throws leaves the position
    ///   where it was.
    /// - Returns: how many pages the log had.
    /// - Throws: ``LogProblem``, and what `write` throws.
    @discardableResult
    package func advance(_ write: (LogPiece) throws -> Void) throws -> Int {
        do {
            try spare.begin()
            defer { spare.end() }
            let end = try end()
            let taken = try take(end, write)
            swap(&holder, &spare)
            return taken
        } catch let problem as SQLiteProblem {
            throw LogProblem.engine(problem.description)
        }
    }

    /// Reads the rest of the log while no process can write, and lets the next commit begin it anew. Writers wait for the
    /// last pages to be moved.
    ///
    /// - Throws: as ``advance(_:)``.
    package func beginAnew(_ write: (LogPiece) throws -> Void) throws {
        guard (try? writer.execute("BEGIN IMMEDIATE")) != nil else { return }
        defer { try? writer.execute("ROLLBACK") }
        try advance(write)
        let end = try end()
        // Another reader needs the log, such as a backup.
        guard end.moved == end.frames else { return }
        try advance(write)
    }

    private func take(_ end: End, _ write: (LogPiece) throws -> Void) throws -> Int {
        guard let head = end.head else { return 0 }
        var start = 0
        if head.salt == position.salt {
            // Begun anew, with no page yet.
            guard end.frames >= position.frames else { return 0 }
            start = position.frames
        } else {
            guard position.isBefore(head.salt), !isBehind else { throw LogProblem.broken }
        }
        defer { isBehind = false }
        guard end.frames > start else { return 0 }
        try LogReading(file: file, head: head).read(start..<end.frames, write)
        position = try place(end)
        return end.frames - start
    }

    // MARK: The end of the log

    private struct End {
        let head: LogFile.Head?
        /// Pages that are committed.
        let frames: Int
        /// Those of them that are in the file.
        let moved: Int
    }

    /// A log's head is written before its first page is committed: with the same head before and after, the number of
    /// pages is that log's, or it was begun anew and has none.
    private func end() throws -> End {
        let deadline = ContinuousClock.now + .seconds(Self.patience)
        repeat {
            let head = try file.head()
            if let length = try checkpoints.logLength(), try file.head() == head {
                return End(head: head, frames: length.pages, moved: length.moved)
            }
            Thread.sleep(forTimeInterval: Self.pauseSeconds)
        } while ContinuousClock.now < deadline
        throw LogProblem.busy
    }

    private func place(_ end: End) throws -> LogPosition {
        guard let head = end.head else { return LogPosition(salt: nil, frames: 0, checksum: 0) }
        guard end.frames > 0 else { return LogPosition(salt: head.salt, frames: 0, checksum: 0) }
        let last = try LogFile.frameHead(file.open(), end.frames - 1, head)
        return LogPosition(salt: head.salt, frames: end.frames, checksum: last.checksum)
    }
}

/// A connection that keeps what it read.
private final class Snapshot {
    private let connection: SQLiteConnection

    init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    func begin() throws {
        try connection.execute("BEGIN")
        // The first read takes the snapshot.
        _ = try connection.number("SELECT count(*) FROM sqlite_schema")
    }

    func end() {
        try? connection.execute("COMMIT")
    }
}
