internal import Synchronization

/// Serializes the requests for one key, in the order of their arrival. Waiting costs nothing.
///
/// Between servers of one database the store decides. This only prevents that requests of one app, which often come in
/// twos and threes, are refused because of each other, and that a refresh token is spent twice.
package final class PerKeyLock: Sendable {
    private struct State: Sendable {
        var lines: [String: [CheckedContinuation<Bool, Never>]] = [:]
        var waiting = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// Runs `body` when it is this request's turn.
    ///
    /// - Returns: `nil` if too many wait already; nothing has happened then.
    package func inTurn<Result: Sendable>(_ id: String, _ body: () async throws -> Result) async rethrows -> Result? {
        guard await take(id) else { return nil }
        defer { give(id) }
        return try await body()
    }

    /// The number of waiting requests; for tests.
    package var waiting: Int { state.withLock { $0.waiting } }

    private func take(_ id: String) async -> Bool {
        await withCheckedContinuation { continuation in
            let verdict = state.withLock { state -> Bool? in
                guard let line = state.lines[id] else {
                    state.lines[id] = []
                    return true
                }
                guard line.count < Limits.keyWaitersMax, state.waiting < Limits.keyWaitersOfAllMax else {
                    return false
                }
                state.lines[id]?.append(continuation)
                state.waiting += 1
                return nil
            }
            if let verdict { continuation.resume(returning: verdict) }
        }
    }

    private func give(_ id: String) {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            guard state.lines[id]?.isEmpty == false, let next = state.lines[id]?.removeFirst() else {
                state.lines[id] = nil
                return nil
            }
            state.waiting -= 1
            return next
        }
        next?.resume(returning: true)
    }
}
