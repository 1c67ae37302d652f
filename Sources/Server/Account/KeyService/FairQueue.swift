internal import Model
internal import Synchronization

/// Orders requests when the key service gets more than it can hash: networks take turns, and keys within each network.
///
/// A client that sends a thousand requests, with a thousand keys of its own, delays others by one hash in each round,
/// and not by a thousand. If too many wait, the newest request of the longest line is refused.
final class FairQueue: Sendable {
    fileprivate typealias Waiter = CheckedContinuation<Bool, Never>

    /// The requests of one network, in the order of its keys' turns.
    fileprivate struct Line {
        var keys: [String] = []
        var waiting: [String: [Waiter]] = [:]
        var count = 0
    }

    fileprivate struct State {
        var running = 0
        var waiting = 0
        var networks: [String] = []
        var lines: [String: Line] = [:]
    }

    private let state = Mutex(State())
    private let atOnce: Int
    private let waitingMax: Int

    /// - Parameters:
    ///   - atOnce: how many run at the same time.
    ///   - waitingMax: how many may wait.
    init(atOnce: Int, waitingMax: Int = Limits.keyQueueMax) {
        precondition(atOnce > 0 && waitingMax > 0)
        self.atOnce = atOnce
        self.waitingMax = waitingMax
    }

    /// Runs `body` when it is this request's turn.
    ///
    /// - Returns: `nil` if too many wait; nothing has happened then.
    func inTurn<Result: Sendable>(
        _ network: String, _ key: String, _ body: () async throws -> Result
    ) async rethrows -> Result? {
        guard await take(network, key) else { return nil }
        defer { give() }
        return try await body()
    }

    /// The number of waiting requests; for tests.
    var waiting: Int { state.withLock { $0.waiting } }

    private func take(_ network: String, _ key: String) async -> Bool {
        await withCheckedContinuation { waiter in
            let (isNext, sentAway) = state.withLock { state -> (Bool, Waiter?) in
                guard state.running >= atOnce else {
                    state.running += 1
                    return (true, nil)
                }
                state.append(waiter, network, key)
                return (false, state.waiting > waitingMax ? state.removeNewestOfLongest() : nil)
            }
            if isNext { waiter.resume(returning: true) }
            sentAway?.resume(returning: false)
        }
    }

    private func give() {
        let next = state.withLock { state -> Waiter? in
            guard let next = state.removeNext() else {
                state.running -= 1
                return nil
            }
            return next
        }
        next?.resume(returning: true)
    }
}

extension FairQueue.State {
    fileprivate mutating func append(_ waiter: CheckedContinuation<Bool, Never>, _ network: String, _ key: String) {
        if lines[network] == nil { networks.append(network) }
        var line = lines[network] ?? .init()
        if line.waiting[key] == nil { line.keys.append(key) }
        line.waiting[key, default: []].append(waiter)
        line.count += 1
        lines[network] = line
        waiting += 1
    }

    /// The first request of the first key of the first network. That key and network become the last.
    fileprivate mutating func removeNext() -> CheckedContinuation<Bool, Never>? {
        guard let network = networks.first, var line = lines[network], let key = line.keys.first,
            let waiter = line.waiting[key]?.removeFirst()
        else { return nil }
        line.keys.removeFirst()
        if line.waiting[key]?.isEmpty == true { line.waiting[key] = nil } else { line.keys.append(key) }
        line.count -= 1
        networks.removeFirst()
        lines[network] = line.count == 0 ? nil : line
        if line.count > 0 { networks.append(network) }
        waiting -= 1
        return waiter
    }

    /// In the network with the most waiting requests, the last request of the key with the most.
    fileprivate mutating func removeNewestOfLongest() -> CheckedContinuation<Bool, Never>? {
        guard let network = networks.max(by: { (lines[$0]?.count ?? 0) < (lines[$1]?.count ?? 0) }),
            var line = lines[network],
            let key = line.keys.max(by: { (line.waiting[$0]?.count ?? 0) < (line.waiting[$1]?.count ?? 0) }),
            let waiter = line.waiting[key]?.removeLast()
        else { return nil }
        if line.waiting[key]?.isEmpty == true {
            line.waiting[key] = nil
            line.keys.removeAll { $0 == key }
        }
        line.count -= 1
        lines[network] = line.count == 0 ? nil : line
        if line.count == 0 { networks.removeAll { $0 == network } }
        waiting -= 1
        return waiter
    }
}
