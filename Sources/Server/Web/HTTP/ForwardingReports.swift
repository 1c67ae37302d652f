internal import Logging
internal import Synchronization

/// Tells the operator that a trusted proxy does not say where its requests come from: once a minute, for the kind of
/// proxy that sends thousands of them. Each one is counted.
final class ForwardingReports: Sendable {
    /// Between two lines of the log.
    static let pause = Duration.seconds(60)

    private let count = Atomic<Int>(0)
    private let toldAt = Mutex<ContinuousClock.Instant?>(nil)

    /// Requests of trusted proxies whose client is not known.
    var number: Int { count.load(ordering: .relaxed) }

    func unknownClient(_ logger: @autoclosure () -> Logger, now: ContinuousClock.Instant = .now) {
        count.wrappingAdd(1, ordering: .relaxed)
        let isDue = toldAt.withLock { last in
            guard last.map({ $0 + Self.pause <= now }) ?? true else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        logger().warning(
            """
            a trusted proxy sends requests without the client's address in X-Forwarded-For, or with one that cannot be \
            read: these clients share their rate limits, until the proxy sets the field to the address alone
            """)
    }
}
