public import KeyturnBase

/// A link that was sent to a user, as its digest.
public struct PendingLink: Hashable, Sendable {
    public let digest: SecretDigest
    public let facts: VerificationFacts
    /// Whether it is the link to follow. Only two of the three of an enchanted link are not.
    public let isRight: Bool

    public init(digest: SecretDigest, facts: VerificationFacts, isRight: Bool = true) {
        self.digest = digest
        self.facts = facts
        self.isRight = isRight
    }
}

/// What a link is for, read without spending it.
public struct LinkDescription: Hashable, Sendable {
    public let facts: VerificationFacts
    /// Whether another client waits for it to be followed.
    public let isEnchanted: Bool
    public let expiresAt: UnixTime

    public init(facts: VerificationFacts, isEnchanted: Bool, expiresAt: UnixTime) {
        self.facts = facts
        self.isEnchanted = isEnchanted
        self.expiresAt = expiresAt
    }
}

/// The result of following a link.
public enum LinkVerdict: Hashable, Sendable {
    /// Spent now. `reference`: that of the client that waits for it.
    case right(VerificationFacts, reference: SecretDigest?)
    /// One of the two wrong links of three: the waiting sign-in is cancelled.
    case cancelled
    case expired
    /// Never made, spent, or forgotten after its expiry.
    case unknown
}

/// Why a link is no longer valid.
public enum LinkEnd: Hashable, Sendable, CaseIterable {
    /// It was not followed in time.
    case expired
    /// It was followed or refused, or another one of the same message was.
    case spent
}

/// What the client that waits for an enchanted link is told.
public enum PendingVerdict: Hashable, Sendable {
    case waiting
    /// Returned now, and never again.
    case approved(VerificationFacts, userID: UserID, isFirst: Bool)
    case expired
    /// Never begun, cancelled, or collected.
    case unknown
}

/// Links in messages. The store ensures single use, not the caller.
public protocol LinkStore: Sendable {
    /// Adds links that expire together, and the reference by which a client waits for them. One transaction.
    func add(_ links: [PendingLink], reference: SecretDigest?, expiresAt: UnixTime, at now: UnixTime)
        async throws(StoreError)

    /// What a live link is for. Spends nothing. A link is not live once its message was answered in another way.
    func describe(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkDescription?

    /// Why a link is not live, as long as that is remembered: ``Limits/linkMemorySeconds`` after its expiry.
    ///
    /// - Returns: `nil` for one that is live, was never made, or was forgotten.
    func end(of digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkEnd?

    /// Spends a link in one transaction: of any number of concurrent calls one gets `.right`. A wrong link of three
    /// cancels the other two.
    func redeem(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkVerdict

    /// Records that `user` followed the link of this reference: the waiting client may collect.
    ///
    /// - Returns: `false` if no client waits any more.
    func approve(_ reference: SecretDigest, user: UserID, isFirst: Bool, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Returns what was approved: one guarded statement, so that one call of any number gets it.
    func collect(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> PendingVerdict

    /// Whether a client waits and nothing has happened yet. Spends nothing.
    func isWaiting(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool

    /// Removes every link of a user, followed or not.
    func removeAll(of user: UserID) async throws(StoreError)
}
