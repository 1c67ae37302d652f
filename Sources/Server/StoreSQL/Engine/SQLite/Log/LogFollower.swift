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
///
/// It moves no page itself unless the log is long. So the log is often still the same when a follower comes back.
package final class LogFollower {
    private let file: LogFile
    private let path: String
    private let database: FileIdentity
    private let checkpoints: SQLiteConnection
    private let writer: SQLiteConnection
    private var holder: Snapshot
    private var spare: Snapshot
    /// How far the log was read.
    package private(set) var position: LogPosition
    /// Whether pages that were not read can be lost with the log: they were written before the snapshot.
    private var isBehind = false

    /// Follows from now on.
    ///
    /// - Throws: ``LogProblem``.
    package init(of path: String) throws {
        guard let database = FileIdentity(path) else { throw LogProblem.noDatabase }
        (self.path, self.database) = (path, database)
        file = LogFile(path: "\(path)-wal")
        do {
            checkpoints = try SQLiteConnection(path, .write)
            guard try checkpoints.text("PRAGMA journal_mode") == "wal" else { throw LogProblem.noLog }
            writer = try SQLiteConnection(path, .write)
            holder = Snapshot(try SQLiteConnection(path, .read))
            spare = Snapshot(try SQLiteConnection(path, .read))
            position = LogPosition(salt: nil, frames: 0, checksum: 0)
            try holder.begin()
            position = try end()
        } catch let problem as SQLiteProblem {
            throw LogProblem.engine(problem.description)
        }
    }

    /// Goes on where a log was read to before.
    ///
    /// - Returns: `false` if it is not known that all that followed is still there.
    package func resume(from earlier: LogPosition) throws -> Bool {
        guard earlier.frames > 0, let head = try file.head(), head.salt == earlier.salt,
            try file.checksum(at: earlier.frames - 1, head) == earlier.checksum
        else { return false }
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
            let taken = try take(write)
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
        // While others move it, or another reader needs it, such as a backup, the log stays.
        guard let length = try checkpoints.logLength(), length.moved == length.pages else { return }
        // Another process had it begin anew a moment ago: its pages were in the file, and were read before.
        guard length.pages > 0 else { return }
        // A page that is not what its checksum says ends the reading, and must not be passed over.
        guard length.pages == position.frames else { throw LogProblem.damaged }
        try advance(write)
    }

    private func take(_ write: (LogPiece) throws -> Void) throws -> Int {
        guard let head = try file.head() else { return 0 }
        var (start, checksum) = (0, head.checksum)
        if head.salt == position.salt {
            (start, checksum) = (position.frames, position.checksum)
            guard try start == 0 || file.checksum(at: start - 1, head) == checksum else { throw LogProblem.broken }
        } else {
            // Begun anew. With the snapshot nothing was lost, unless the file is another one.
            guard !isBehind, FileIdentity(path) == database else { throw LogProblem.broken }
        }
        let frames = try file.committed(from: start, head, after: checksum)
        if let last = frames.last {
            try LogReading(file: file, head: head).read(frames, from: start, write)
            position = LogPosition(salt: head.salt, frames: start + frames.count, checksum: last.checksum)
        }
        // Not before all of it was taken: until then the snapshot does not keep what was there earlier.
        isBehind = false
        return frames.count
    }

    /// The end of the log that is there.
    private func end() throws -> LogPosition {
        guard let head = try file.head() else { return LogPosition(salt: nil, frames: 0, checksum: 0) }
        let frames = try file.committed(from: 0, head, after: head.checksum)
        return LogPosition(salt: head.salt, frames: frames.count, checksum: frames.last?.checksum ?? head.checksum)
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
