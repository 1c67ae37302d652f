internal import Foundation
internal import GRDBSQLite
internal import KeyturnBase
internal import Synchronization

/// Moves the write-ahead log into the file, on a connection and a thread of its own: no commit waits for it.
///
/// Under steady writes such a checkpoint never reaches the end of the log. So the writer itself lets the log begin anew
/// when it has become long.
final class Checkpoints: Sendable {
    /// From how many pages on the log is moved.
    private static let pagesMin = 1_000
    /// From how many pages on the writer waits for it: 64 MiB.
    private static let pagesMax = 16_384
    /// There is so much time between two of them, in seconds.
    private static let pauseSeconds = 0.05

    private let log: LogPages
    private let open: @Sendable () throws -> SQLiteConnection
    private let bell = DispatchSemaphore(value: 0)
    private let isEnded = DispatchSemaphore(value: 0)
    private let isClosed = Atomic(false)
    private let isAsked = Atomic(false)
    private let isStarted = Atomic(false)
    /// When the writer waits for it the next time.
    private let pagesAwaited = Atomic(Checkpoints.pagesMax)

    /// - Parameters:
    ///   - log: how long it is, as the writer sees it.
    ///   - open: makes the connection.
    init(of log: LogPages, open: @escaping @Sendable () throws -> SQLiteConnection) {
        self.log = log
        self.open = open
    }

    /// Without a thread the writer moves the log alone, when it is long.
    func start() {
        isStarted.store(true, ordering: .relaxed)
        guard !DetachedThread.start({ self.work() }) else { return }
        isStarted.store(false, ordering: .relaxed)
    }

    /// After each commit, by the writer.
    func look(_ writer: SQLiteConnection) {
        let pages = log.count
        guard pages >= Self.pagesMin else { return }
        if pages >= pagesAwaited.load(ordering: .relaxed) {
            // While a snapshot is read, as by a backup, the log cannot begin anew.
            let isDone = writer.checkpoint(SQLITE_CHECKPOINT_RESTART)
            pagesAwaited.store(isDone ? Self.pagesMax : pages + Self.pagesMax, ordering: .relaxed)
        } else if !isAsked.exchange(true, ordering: .relaxed) {
            bell.signal()
        }
    }

    /// Returns when the connection is closed.
    func close() {
        guard !isClosed.exchange(true, ordering: .relaxed), isStarted.load(ordering: .relaxed) else { return }
        bell.signal()
        isEnded.wait()
    }

    private func work() {
        defer { isEnded.signal() }
        // A connection that has read nothing does not know that there is a log.
        guard let connection = try? open(), (try? connection.number("PRAGMA user_version")) != nil else { return }
        while true {
            bell.wait()
            guard !isClosed.load(ordering: .relaxed) else { return }
            connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
            isAsked.store(false, ordering: .relaxed)
            Thread.sleep(forTimeInterval: Self.pauseSeconds)
        }
    }
}

/// How many pages a write-ahead log has.
final class LogPages: Sendable {
    private let pages = Atomic(0)

    var count: Int { pages.load(ordering: .relaxed) }

    func set(_ count: Int) { pages.store(count, ordering: .relaxed) }
}
