import KeyturnBase
import KeyturnWire
import Model
import OAuth
import Synchronization
import Testing

@testable import Delivery

/// Receivers of which one answers only when the test says so.
final class SilentReceiver: LogoutTransport {
    private struct State {
        var counts: [String: Int] = [:]
        var heard: [String: Int] = [:]
        var isAnswering = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var listeners: [(client: String, CheckedContinuation<Void, Never>)] = []
    }

    private let silent: String
    private let state = Mutex(State())

    init(_ silent: String) {
        self.silent = silent
    }

    func send(_ post: LogoutNotices.Post, attempt: Int64) async -> LogoutOutcome {
        let listeners = state.withLock { state in
            state.counts[post.clientID, default: 0] += 1
            let ready = state.listeners.filter { $0.client == post.clientID }
            state.listeners.removeAll { $0.client == post.clientID }
            if ready.isEmpty { state.heard[post.clientID, default: 0] += 1 }
            return ready
        }
        for listener in listeners { listener.1.resume() }
        guard post.clientID == silent else { return .answered(.sent) }
        await withCheckedContinuation { continuation in
            let isAnswering = state.withLock { state in
                if !state.isAnswering { state.waiting.append(continuation) }
                return state.isAnswering
            }
            if isAnswering { continuation.resume() }
        }
        return .answered(.sent)
    }

    /// Waits until a notice of a client has come that was not waited for.
    func hears(_ client: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                guard let count = state.heard[client], count > 0 else {
                    state.listeners.append((client, continuation))
                    return false
                }
                state.heard[client] = count - 1
                return true
            }
            if isThere { continuation.resume() }
        }
    }

    func count(of client: String) -> Int { state.withLock { $0.counts[client] ?? 0 } }

    func answer() {
        let waiting = state.withLock { state in
            state.isAnswering = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

/// A relying party that answers what a test wants, the last word again and again.
final class ScriptedLogout: LogoutTransport {
    private let outcomes: Mutex<[LogoutOutcome]>
    private let sent = Mutex<[Secret]>([])

    var tokens: [Secret] { sent.withLock { $0 } }

    init(_ outcomes: [LogoutOutcome]) {
        self.outcomes = Mutex(outcomes)
    }

    func send(_ post: LogoutNotices.Post, attempt: Int64) async -> LogoutOutcome {
        sent.withLock { $0.append(post.logoutToken) }
        return outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}
