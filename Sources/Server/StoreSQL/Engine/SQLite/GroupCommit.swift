internal import Dispatch
internal import KeyturnBase
internal import Model
internal import Synchronization

/// The one connection that writes, on a thread of its own. It collects writes while a commit is under way and commits
/// them together: one sync to the disk for many requests.
///
/// Each job has its own savepoint, so a failed one is undone alone. No caller gets its result before the commit.
final class GroupCommit: Sendable {
    private struct Job: Sendable {
        let run: @Sendable (SQLSession) throws -> Void
        /// Called once, after the commit; with the error if it failed.
        let finish: @Sendable ((any Error)?) -> Void
    }

    private struct State: Sendable {
        var waiting: [Job] = []
        /// The thread waits for the bell.
        var isResting = false
        var isClosed = false
    }

    /// Holds the result of a job until the commit.
    private final class Slot<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// The connection. Unchecked, because it is for one thread at a time: the mutex around it lets one in.
    private struct Owned: @unchecked Sendable {
        let connection: SQLiteConnection
    }

    /// Most jobs in one commit: bounds how long the first of them waits.
    private static let batchMax = 256
    /// Most jobs waiting; with more, the store is reported as unavailable.
    private static let backlogMax = 10_000

    private let owned: Mutex<Owned?>
    private let afterCommit: @Sendable (SQLiteConnection) -> Void
    private let state = Mutex(State())
    private let commits = Atomic<Int>(0)
    private let bell = DispatchSemaphore(value: 0)
    private let isEnded = DispatchSemaphore(value: 0)

    /// - Parameter afterCommit: called on the thread after each commit, when its callers have their answers.
    /// - Throws: `unavailable` if the system has no thread to give.
    init(_ connection: SQLiteConnection, afterCommit: @escaping @Sendable (SQLiteConnection) -> Void = { _ in })
        throws(StoreError)
    {
        owned = Mutex(Owned(connection: connection))
        self.afterCommit = afterCommit
        guard DetachedThread.start({ self.work() }) else { throw StoreError(.unavailable) }
    }

    /// Runs `body` inside the next commit and returns when that is durable.
    ///
    /// - Throws: what `body` threw, as a store error; `unavailable` if too many jobs wait, or the commit failed.
    func write<Value: Sendable>(_ body: @escaping @Sendable (SQLSession) throws -> Value)
        async throws(StoreError) -> Value
    {
        let slot = Slot<Value>()
        let failure: (any Error)? = await withCheckedContinuation { continuation in
            enqueue(
                Job(
                    run: { session in
                        let value = try body(session)
                        slot.result.withLock { $0 = .success(value) }
                    },
                    finish: { continuation.resume(returning: $0) }))
        }
        if let failure { throw StoreError(translating: failure) }
        guard case .success(let value) = slot.result.withLock({ $0 }) else { throw StoreError(.unavailable) }
        return value
    }

    /// Commits so far.
    var count: Int { commits.load(ordering: .relaxed) }

    /// Uses the connection between two commits, on the calling thread.
    ///
    /// - Throws: `unavailable` after ``close()``, and what `body` throws.
    func use<Value>(_ body: (SQLiteConnection) throws -> Value) throws -> Value {
        try owned.withLock { owned in
            guard let owned else { throw StoreError(.unavailable) }
            return try body(owned.connection)
        }
    }

    /// Ends the thread when all that waits is committed, and closes the connection.
    ///
    /// - Parameter waits: returns when that is done. The thread itself must not wait for its own end.
    func close(waits: Bool = true) {
        let wasOpen = state.withLock { state in
            defer { (state.isClosed, state.isResting) = (true, false) }
            return !state.isClosed
        }
        guard wasOpen else { return }
        bell.signal()
        if waits { isEnded.wait() }
    }

    private func enqueue(_ job: Job) {
        let verdict = state.withLock { state -> Admission in
            guard !state.isClosed, state.waiting.count < Self.backlogMax else { return .refuse }
            state.waiting.append(job)
            defer { state.isResting = false }
            return state.isResting ? .wake : .wait
        }
        switch verdict {
        case .wait: break
        case .refuse: job.finish(StoreError(.unavailable))
        case .wake: bell.signal()
        }
    }

    private enum Admission {
        case wake, wait, refuse
    }

    // MARK: On the thread

    private enum Turn {
        case commit([Job]), rest, end
    }

    private func work() {
        while true {
            switch next() {
            case .commit(let batch): commit(batch)
            case .rest: bell.wait()
            case .end:
                owned.withLock { $0 = nil }
                isEnded.signal()
                return
            }
        }
    }

    private func next() -> Turn {
        state.withLock { state in
            guard state.waiting.isEmpty else {
                let batch = Array(state.waiting.prefix(Self.batchMax))
                state.waiting.removeFirst(batch.count)
                return .commit(batch)
            }
            if state.isClosed { return .end }
            state.isResting = true
            return .rest
        }
    }

    private func commit(_ batch: [Job]) {
        let failures = owned.withLock { owned in
            owned.map { run(batch, $0.connection) } ?? batch.map { _ in StoreError(.unavailable) }
        }
        for (job, failure) in zip(batch, failures) { job.finish(failure) }
        owned.withLock { owned in
            if let owned { afterCommit(owned.connection) }
        }
    }

    /// - Returns: for each job why it failed; `nil` if it is part of the commit.
    private func run(_ batch: [Job], _ connection: SQLiteConnection) -> [(any Error)?] {
        do {
            try connection.control("BEGIN IMMEDIATE")
            let failures = try batch.map { try Self.attempt($0, connection) }
            try connection.control("COMMIT")
            commits.wrappingAdd(1, ordering: .relaxed)
            return failures
        } catch {
            if connection.isInTransaction { try? connection.control("ROLLBACK") }
            return batch.map { _ in error }
        }
    }

    /// - Returns: why the job failed and was undone; `nil` if it is part of the commit.
    /// - Throws: if the transaction itself is lost, as it is when the disk is full.
    private static func attempt(_ job: Job, _ connection: SQLiteConnection) throws -> (any Error)? {
        try connection.control("SAVEPOINT job")
        do {
            try job.run(SQLSession(connection))
        } catch {
            guard connection.isInTransaction else { throw error }
            try connection.control("ROLLBACK TO job")
            try connection.control("RELEASE job")
            return error
        }
        try connection.control("RELEASE job")
        return nil
    }
}
