internal import Synchronization

/// How much of one network is let in at the same time: whoever opens hundreds of keys of their own must not fill the queue in
/// which everybody waits.
final class KeyGate: Sendable {
    private let inside = Mutex<[String: Int]>([:])

    /// Runs `body` if the network has not too much going on.
    ///
    /// - Returns: `nil` if it has; nothing has happened then.
    func within<Result: Sendable>(
        _ network: String, _ body: () async throws -> Result
    ) async rethrows -> Result? {
        let isLetIn = inside.withLock { inside in
            guard inside[network, default: 0] < Limits.keysAtOncePerNetworkMax else { return false }
            inside[network, default: 0] += 1
            return true
        }
        guard isLetIn else { return nil }
        defer {
            inside.withLock { inside in
                inside[network] = inside[network].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
        }
        return try await body()
    }
}
