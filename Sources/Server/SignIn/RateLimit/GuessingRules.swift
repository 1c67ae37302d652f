public import KeyturnBase
public import Model

/// Slows guessing down without locking users out of their own accounts.
///
/// Three counts per attempt: this account from this network, this account from anywhere, this network on any
/// account. For a network with an earlier sign-in of the user, only the first count is used, so that a remote attacker
/// cannot lock the owner out.
public enum GuessingRules {
    /// The keys under which an attempt is counted.
    public struct Keys: Hashable, Sendable {
        let accountAndNetwork: String
        let account: String
        let network: String
        /// What a good attempt makes known; `nil` where it is not known from where the client asks: such clients
        /// count as one network, and one of them must not open it to the others.
        let known: String?

        /// - Parameters:
        ///   - identifier: as entered, whether there is such an account or not.
        ///   - address: where the attempt comes from; `nil` counts as one network.
        public init(identifier: Identifier, address: NetworkAddress?) {
            self.init(AttemptSubject.account(identifier), address)
        }

        /// For guesses at a second factor. They are counted separately, because an attacker with the password could
        /// clear the other counts by a first sign-in.
        ///
        /// - Parameters:
        ///   - user: the user of the factor; `nil`: unknown.
        ///   - identifier: as entered.
        public init(secondFactorOf user: UserID?, typed identifier: Identifier, address: NetworkAddress?) {
            let unknown = "second:\(identifier.kind.rawValue):\(identifier.value)"
            self.init(user.map(AttemptSubject.secondFactor) ?? unknown, address)
        }

        private init(_ account: String, _ address: NetworkAddress?) {
            let network = address?.network ?? "unknown"
            self.account = account
            self.network = "network:\(network)"
            accountAndNetwork = "\(account)@\(network)"
            known = address == nil ? nil : accountAndNetwork
        }

        /// In the order that ``GuessingRules/delaySeconds(_:at:)`` expects.
        public var all: [String] { [accountAndNetwork, account, network] }
    }

    /// The keys under which guesses at one account's password are counted together, whichever of its login IDs is typed.
    ///
    /// Nothing that a client is told may depend on these counts: they would show which names belong to one account.
    public struct OwnerKeys: Hashable, Sendable {
        let accountAndNetwork: String
        let account: String
        /// As ``Keys/known``.
        let known: String?

        /// - Parameters:
        ///   - user: who has the login ID; `nil`: no user, and it is counted for itself, at the same cost.
        ///   - identifier: as entered.
        public init(of user: UserID?, typed identifier: Identifier, address: NetworkAddress?) {
            account = user.map(AttemptSubject.owner) ?? AttemptSubject.unassigned(identifier)
            accountAndNetwork = "\(account)@\(address?.network ?? "unknown")"
            known = address == nil ? nil : accountAndNetwork
        }

        /// In the order that ``GuessingRules/ownerDelaySeconds(_:isKnown:at:)`` expects.
        public var all: [String] { [accountAndNetwork, account] }
    }

    /// How long no password of the account is compared, because of wrong ones under all its login IDs together; 0: it is.
    /// Each one counts as wrong meanwhile. The limits are those of one login ID.
    ///
    /// - Parameters:
    ///   - counts: of ``OwnerKeys/all``, with this attempt counted.
    ///   - isKnown: whether there was an earlier sign-in with this login ID from this network. One with another of the
    ///     account's counts as well.
    public static func ownerDelaySeconds(_ counts: [AttemptCount], isKnown: Bool, at now: UnixTime) -> Int64 {
        precondition(counts.count == 2, "one count for each key")
        return max(
            wait(counts[0], free: Limits.attemptsPerAccountAndNetworkMax, at: now),
            isKnown || counts[0].isKnown ? 0 : wait(counts[1], free: Limits.attemptsPerAccountMax, at: now))
    }

    /// How long the client must wait before the attempt is checked; 0: not at all.
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

    /// The failures at the account, from this network or from anywhere.
    ///
    /// - Parameter counts: as in ``delaySeconds(_:at:)``.
    static func failures(_ counts: [AttemptCount]) -> Int64 { max(counts[0].failures, counts[1].failures) }

    /// The delay doubles with each failure beyond the free ones. It is counted from the attempt before.
    private static func wait(_ count: AttemptCount, free: Int64, at now: UnixTime) -> Int64 {
        guard count.failures > free, let previousAt = count.previousAt else { return 0 }
        let doublings = min(count.failures - free, 20)
        let delay = min(Int64(1) << doublings, Limits.attemptDelayMaxSeconds)
        // After a clock was set back, the wait must not include the time that it lost.
        return min(delay, max(0, (previousAt + delay).seconds(since: now)))
    }
}
