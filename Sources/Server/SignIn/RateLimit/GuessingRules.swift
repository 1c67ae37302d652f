public import KeyturnBase
public import Model

/// How guessing gets slow without locking anybody out of their own account.
///
/// Three counts per attempt: this account from this network, this account from anywhere, this network on any
/// account. A network from which the person signed in before is judged by the first count alone, so a stranger far
/// away cannot shut the owner out.
public enum GuessingRules {
    /// The keys that an attempt counts on.
    public struct Keys: Hashable, Sendable {
        let accountAndNetwork: String
        let account: String
        let network: String

        /// - Parameters:
        ///   - identifier: what was typed, whether there is such an account or not.
        ///   - address: where the attempt comes from; `nil` counts as one network.
        public init(identifier: Identifier, address: NetworkAddress?) {
            self.init("account:\(identifier.kind.rawValue):\(identifier.value)", address)
        }

        /// Of guesses at a second factor. They count apart: whoever knows the password must not wipe them out by signing
        /// in with it once more.
        ///
        /// - Parameters:
        ///   - user: whose it would be; `nil`: nobody's.
        ///   - identifier: what was typed.
        public init(secondFactorOf user: UserID?, typed identifier: Identifier, address: NetworkAddress?) {
            self.init("second:\(user?.rawValue ?? "\(identifier.kind.rawValue):\(identifier.value)")", address)
        }

        private init(_ account: String, _ address: NetworkAddress?) {
            let network = address?.network ?? "unknown"
            self.account = account
            self.network = "network:\(network)"
            accountAndNetwork = "\(account)@\(network)"
        }

        /// In the order that ``GuessingRules/delaySeconds(_:at:)`` expects.
        public var all: [String] { [accountAndNetwork, account, network] }
    }

    /// How long the sender must wait before the attempt is looked at; 0: go on.
    ///
    /// - Parameter counts: of ``Keys/all``, with this attempt counted.
    public static func delaySeconds(_ counts: [AttemptCount], at now: UnixTime) -> Int64 {
        precondition(counts.count == 3, "one count for each key")
        let isKnown = counts[0].isKnown
        return [
            wait(counts[0], free: Limits.attemptsPerAccountAndNetworkMax, at: now),
            isKnown ? 0 : wait(counts[1], free: Limits.attemptsPerAccountMax, at: now),
            isKnown ? 0 : wait(counts[2], free: Limits.attemptsPerNetworkMax, at: now),
        ].max() ?? 0
    }

    /// Doubles with each failure beyond the free ones, counted from the attempt before.
    private static func wait(_ count: AttemptCount, free: Int64, at now: UnixTime) -> Int64 {
        guard count.failures > free, let previousAt = count.previousAt else { return 0 }
        let doublings = min(count.failures - free, 20)
        let delay = min(Int64(1) << doublings, Limits.attemptDelayMaxSeconds)
        // A clock that was set back must not make anybody wait for the time that it lost.
        return min(delay, max(0, (previousAt + delay).seconds(since: now)))
    }
}
