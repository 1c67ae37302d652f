internal import Model

/// Runs one unit of work until it is done or its caller gives up: again on another connection after one is lost, and
/// again after another transaction was in the way.
struct PostgreSQLAttempt {
    let connection: PooledConnection
    let deadline: ContinuousClock.Instant

    /// Most repetitions after contention.
    private static let repetitionsMax = 8

    /// One statement without `BEGIN`, which may run twice.
    func statement<Value>(durably: Bool, _ body: (SQLSession) throws -> Value) throws -> Value {
        try repeating { connection in
            if !durably { try connection.keepLocally() }
            return try body(SQLSession(connection))
        }
    }

    /// One statement as above whose parameters are arrays, which does not wait for another machine.
    func rows(_ sql: String, arrays: [Values]) throws -> PostgreSQLRows {
        try repeating { connection in
            try connection.keepLocally()
            try connection.queue(sql, BoundParameters(arrays: arrays, for: sql), isKept: true)
            guard let rows = try connection.fly() else { throw PostgreSQLProblem(.failed, "a statement had no result") }
            return rows
        }
    }

    /// Reads as of one moment.
    func snapshot<Value>(_ body: (SQLSession) throws -> Value) throws -> Value {
        try repeating { connection in
            try connection.beginSnapshot()
            return try undoing(connection) {
                let value = try body(SQLSession(connection))
                try connection.commit(marking: nil)
                return value
            }
        }
    }

    /// A transaction, exactly once: if the answer to its commit is lost, what became of it is found out first.
    func transaction<Value>(_ isolation: Isolation, _ body: (SQLSession) throws -> Value) throws -> Value {
        try repeating { connection in
            let before = connection.changes
            try connection.begin(isolation)
            let value = try undoing(connection) { try body(SQLSession(connection)) }
            let mark = connection.changes > before ? CommitMark() : nil
            do {
                try undoing(connection) { try connection.commit(marking: mark) }
            } catch let problem as PostgreSQLProblem where problem.kind == .lost {
                guard let mark, try isCommitted(mark) else { throw problem }
            }
            return value
        }
    }

    /// Whether a transaction was committed whose answer was lost.
    ///
    /// - Throws: a ``PostgreSQLProblem`` that is not repeated, if that cannot be found out until the deadline.
    private func isCommitted(_ mark: CommitMark) throws -> Bool {
        connection.drop()
        while true {
            do {
                return try mark.isCommitted(connection.open(until: deadline))
            } catch {
                connection.drop()
                guard PooledConnection.pause(milliseconds: 20...80, before: deadline) else {
                    throw PostgreSQLProblem(.failed, "it is not known whether a change was committed: \(error)")
                }
            }
        }
    }

    /// Leaves no transaction open when the body throws: a connection on which it cannot be undone is closed.
    private func undoing<Value>(_ connection: PostgreSQLConnection, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch {
            do {
                try connection.rollBack()
            } catch {
                self.connection.drop()
            }
            throw error
        }
    }

    private func repeating<Value>(_ work: (PostgreSQLConnection) throws -> Value) throws -> Value {
        var repetitions = 0
        while true {
            do {
                let opened = try connection.open(until: deadline)
                // What was queued and never sent must not fly with the next job's statements.
                defer { if opened.hasQueued { connection.drop() } }
                return try work(opened)
            } catch {
                repetitions += 1
                guard let problem = Self.problem(error), try canRepeat(problem, repetitions) else { throw error }
            }
        }
    }

    private static func problem(_ error: any Error) -> PostgreSQLProblem? {
        error as? PostgreSQLProblem ?? (error as? StoreError)?.cause as? PostgreSQLProblem
    }

    /// Prepares another run, if that makes sense.
    private func canRepeat(_ problem: PostgreSQLProblem, _ repetitions: Int) throws -> Bool {
        switch problem.kind {
        case .conflict, .full, .failed:
            return false
        case .stale:
            try connection.open(until: deadline).forgetPrepared()
            return repetitions <= Self.repetitionsMax
        case .contention:
            guard repetitions <= Self.repetitionsMax else { return false }
            return PooledConnection.pause(milliseconds: 5...50, before: deadline)
        case .lost:
            connection.drop()
            return PooledConnection.pause(milliseconds: 1...20, before: deadline)
        }
    }
}
