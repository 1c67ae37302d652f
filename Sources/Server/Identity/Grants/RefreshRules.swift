public import KeyturnBase

/// What a refresh means when the guarded update did not match: an honest retry, or a thief.
///
/// The successor of a refresh token can be derived again, so nobody is signed out by an answer that was lost, and a
/// thief gains no second chain.
public enum RefreshRules {
    /// For so long after a rotation, the predecessor gets the same successor again: tabs, processes, retries.
    public static let overlapSeconds: Int64 = 60
    /// After that, once in so long, if the successor was never seen: a lost answer that took long to notice. Such a
    /// retry opens the overlap again, because its own answer can get lost too.
    public static let lateRetryIntervalSeconds: Int64 = 86_400

    /// The row as it was found.
    public struct Row: Hashable, Sendable {
        public let counter: Int64
        /// When the counter was last raised; `nil` if never.
        public let rotatedAt: UnixTime?
        /// When a late retry was last forgiven; `nil` if never.
        public let lateRetryAt: UnixTime?

        public init(counter: Int64, rotatedAt: UnixTime?, lateRetryAt: UnixTime?) {
            self.counter = counter
            self.rotatedAt = rotatedAt
            self.lateRetryAt = lateRetryAt
        }
    }

    /// What to do with a token that is not the current one.
    public enum Verdict: Hashable, Sendable {
        /// Hand out the current token again.
        case repeatSuccessor
        /// The same, and note that the late retry of this period is spent.
        case forgiveOnce
        /// End the grant.
        case replay
    }

    /// Judges a token whose counter was not the current one, or which lost the race to raise it.
    ///
    /// The current token was never presented if the counter presented is the one just before it; anything older, or
    /// a counter never issued, is not an honest client.
    public static func judge(presented counter: Int64, row: Row, at now: UnixTime) -> Verdict {
        guard counter == row.counter - 1, let rotatedAt = row.rotatedAt else { return .replay }
        if now <= rotatedAt + overlapSeconds { return .repeatSuccessor }
        guard let lateRetryAt = row.lateRetryAt else { return .forgiveOnce }
        if lateRetryAt >= rotatedAt, now <= lateRetryAt + overlapSeconds { return .repeatSuccessor }
        return now >= lateRetryAt + lateRetryIntervalSeconds ? .forgiveOnce : .replay
    }
}
