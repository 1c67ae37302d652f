internal import GRDB
internal import Model
internal import Synchronization

/// Collects writes while a commit is under way and commits them together: one sync to the disk for many requests.
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
        var isDraining = false
    }

    /// Holds the result of a job until the commit.
    private final class Slot<Value: Sendable>: Sendable {
        let result = Mutex<Result<Value, any Error>?>(nil)
    }

    /// Most jobs in one commit: bounds how long the first of them waits.
    private static let batchMax = 256
    /// Most jobs waiting; with more, the store is reported as unavailable.
    private static let backlogMax = 10_000

    private let connection: any DatabaseWriter
    private let state = Mutex(State())

    init(_ connection: any DatabaseWriter) {
        self.connection = connection
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

    private func enqueue(_ job: Job) {
        let verdict = state.withLock { state -> Admission in
            guard state.waiting.count < Self.backlogMax else { return .refuse }
            state.waiting.append(job)
            defer { state.isDraining = true }
            return state.isDraining ? .wait : .start
        }
        switch verdict {
        case .wait: break
        case .refuse: job.finish(StoreError(.unavailable))
        case .start:
            connection.asyncWriteWithoutTransaction { database in self.drain(database) }
        }
    }

    private enum Admission {
        case start, wait, refuse
    }

    private func drain(_ database: Database) {
        while let batch = nextBatch() { commit(batch, database) }
    }

    private func nextBatch() -> [Job]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isDraining = false
                return nil
            }
            let batch = Array(state.waiting.prefix(Self.batchMax))
            state.waiting.removeFirst(batch.count)
            return batch
        }
    }

    private func commit(_ batch: [Job], _ database: Database) {
        var failures = [(any Error)?](repeating: nil, count: batch.count)
        do {
            try database.cachedStatement(sql: "BEGIN IMMEDIATE").execute()
            for (index, job) in batch.enumerated() { failures[index] = try attempt(job, database) }
            try database.cachedStatement(sql: "COMMIT").execute()
        } catch {
            if database.isInsideTransaction { try? database.execute(sql: "ROLLBACK") }
            failures = [(any Error)?](repeating: error, count: batch.count)
        }
        for (job, failure) in zip(batch, failures) { job.finish(failure) }
    }

    /// - Returns: why the job failed and was undone; `nil` if it is part of the commit.
    /// - Throws: if the transaction itself is lost, as it is when the disk is full.
    private func attempt(_ job: Job, _ database: Database) throws -> (any Error)? {
        try database.cachedStatement(sql: "SAVEPOINT job").execute()
        do {
            try job.run(SQLSession(database))
        } catch {
            guard database.isInsideTransaction else { throw error }
            try database.cachedStatement(sql: "ROLLBACK TO job").execute()
            try database.cachedStatement(sql: "RELEASE job").execute()
            return error
        }
        try database.cachedStatement(sql: "RELEASE job").execute()
        return nil
    }
}
