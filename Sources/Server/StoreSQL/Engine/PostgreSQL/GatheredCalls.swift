internal import Model
internal import Synchronization

/// Runs one statement for many callers: what arrives while it is under way waits for the next run.
///
/// Connections that write a row each wait for each other at the log. One that writes the rows of many callers costs the
/// database half to two thirds of the processor time, and at little load a run is for one caller.
final class GatheredCalls: Sendable {
    /// Waits for the row of one caller; `nil` if its guards did not match, or another transaction holds it.
    typealias Answer = @Sendable (Result<SQLRow?, any Error>) -> Void

    /// Gives work to a connection, or says that there was none.
    typealias Submit =
        @Sendable (
            _ work: @escaping @Sendable (PostgreSQLAttempt) -> Void, _ shed: @escaping @Sendable () -> Void
        ) -> Void

    private struct Caller: Sendable {
        let values: Values
        /// When its caller gives up.
        let deadline: ContinuousClock.Instant
        let answer: Answer
    }

    private struct State: Sendable {
        var waiting: [Caller] = []
        var underWay = 0
    }

    /// Most callers that wait; with more, the database is reported as unavailable.
    private static let backlogMax = 10_000
    /// Most callers of one run.
    private static let callsMax = 64
    /// Most runs at the same time: while one is on its way, the next is put together.
    private static let runsMax = 2

    private let sql: String
    private let submit: Submit
    private let state = Mutex(State())

    init(_ update: GatheredUpdate, submit: @escaping Submit) {
        sql = update.sql
        self.submit = submit
    }

    func call(_ values: Values, until deadline: ContinuousClock.Instant, _ answer: @escaping Answer) {
        let admission = state.withLock { state -> Admission in
            guard state.waiting.count < Self.backlogMax else { return .refuse }
            state.waiting.append(Caller(values: values, deadline: deadline, answer: answer))
            guard state.underWay < Self.runsMax else { return .wait }
            state.underWay += 1
            return .start
        }
        switch admission {
        case .start: start()
        case .wait: break
        case .refuse: answer(.failure(StoreError(.unavailable)))
        }
    }

    private enum Admission {
        case start, wait, refuse
    }

    private func start() {
        submit({ self.run($0) }, { self.shed() })
    }

    private func run(_ attempt: PostgreSQLAttempt) {
        let calls = state.withLock { state in
            let calls = Array(state.waiting.prefix(Self.callsMax))
            state.waiting.removeFirst(calls.count)
            return calls
        }
        guard let patience = calls.map(\.deadline).min() else { return goOn() }
        do {
            let rows = try rows(calls, PostgreSQLAttempt(connection: attempt.connection, deadline: patience))
            // The next run is on its way before these callers get their rows.
            goOn()
            for (place, call) in calls.enumerated() { call.answer(.success(rows[place])) }
        } catch {
            let problem = error as? PostgreSQLProblem ?? (error as? StoreError)?.cause as? PostgreSQLProblem
            // What is wrong with the statement of many need not be wrong with that of one.
            if problem?.kind == .lost { putBack(calls, error) } else { calls.forEach { $0.answer(.success(nil)) } }
            goOn()
        }
    }

    private func rows(_ calls: [Caller], _ attempt: PostgreSQLAttempt) throws -> [Int: SQLRow] {
        let arrays = (0..<calls[0].values.count).map { column in calls.map { $0.values[column] } }
        let rows = try attempt.rows(sql, arrays: arrays)
        return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows[$0]["place"] - 1, rows[$0]) })
    }

    /// The database is away. Callers who have time left wait for the next run.
    private func putBack(_ calls: [Caller], _ error: any Error) {
        let now = ContinuousClock.now
        state.withLock { $0.waiting.insert(contentsOf: calls.filter { now < $0.deadline }, at: 0) }
        for call in calls where now >= call.deadline { call.answer(.failure(error)) }
    }

    private func goOn() {
        let isOver = state.withLock { state in
            if state.waiting.isEmpty { state.underWay -= 1 }
            return state.waiting.isEmpty
        }
        if !isOver { start() }
    }

    /// There was no connection until the callers gave up.
    private func shed() {
        let calls = state.withLock { state in
            defer { state.waiting = [] }
            state.underWay -= 1
            return state.waiting
        }
        for call in calls { call.answer(.failure(StoreError(.unavailable))) }
    }
}
