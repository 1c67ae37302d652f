internal import Model
internal import Synchronization

/// Runs one statement for many callers: what arrives while it is under way waits for the next run.
///
/// Connections that write a row each wait for each other at the log. One that writes the rows of many callers costs the
/// database a fifth of the processor time, and at little load a run is for one caller.
final class GatheredCalls: Sendable {
    /// Waits for the row of one caller; `nil` if its guards did not match, or another transaction holds it.
    typealias Answer = @Sendable (Result<SQLRow?, any Error>) -> Void

    /// Gives work to a connection, or says that there was none.
    typealias Submit = @Sendable (
        _ work: @escaping @Sendable (PostgreSQLAttempt) -> Void, _ shed: @escaping @Sendable () -> Void
    ) -> Void

    private struct Call: Sendable {
        let values: Values
        let answer: Answer
    }

    private struct State: Sendable {
        var waiting: [Call] = []
        var underWay = 0
    }

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

    func call(_ values: Values, _ answer: @escaping Answer) {
        let isFirst = state.withLock { state in
            state.waiting.append(Call(values: values, answer: answer))
            guard state.underWay < Self.runsMax else { return false }
            state.underWay += 1
            return true
        }
        if isFirst { start() }
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
        let result = Result { calls.isEmpty ? [:] : try rows(calls, attempt) }
        // The next run is on its way before these callers get their rows.
        goOn()
        for (place, call) in calls.enumerated() { call.answer(result.map { $0[place] }) }
    }

    private func rows(_ calls: [Call], _ attempt: PostgreSQLAttempt) throws -> [Int: SQLRow] {
        let arrays = (0..<calls[0].values.count).map { column in calls.map { $0.values[column] } }
        let rows = try attempt.rows(sql, arrays: arrays)
        return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows[$0]["place"] - 1, rows[$0]) })
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
