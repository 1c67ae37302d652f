public import KeyturnBase

/// A link on its way to somebody, as its digest.
public struct PendingLink: Hashable, Sendable {
    public let digest: SecretDigest
    public let facts: VerificationFacts
    /// Whether it is the one that the person was told to follow. Always, but for two of the three of an enchanted link.
    public let isRight: Bool

    public init(digest: SecretDigest, facts: VerificationFacts, isRight: Bool = true) {
        self.digest = digest
        self.facts = facts
        self.isRight = isRight
    }
}

/// What a link is for, told without spending it.
public struct LinkDescription: Hashable, Sendable {
    public let facts: VerificationFacts
    /// Whether somebody waits elsewhere for it to be followed.
    public let isEnchanted: Bool
    public let expiresAt: UnixTime

    public init(facts: VerificationFacts, isEnchanted: Bool, expiresAt: UnixTime) {
        self.facts = facts
        self.isEnchanted = isEnchanted
        self.expiresAt = expiresAt
    }
}

/// What became of a link that was followed.
public enum LinkVerdict: Hashable, Sendable {
    /// Spent now. `reference`: that of whoever waits for it.
    case right(VerificationFacts, reference: SecretDigest?)
    /// One of the two wrong links of three: whoever waits has been turned away.
    case cancelled
    case expired
    /// Never made, spent, or long over.
    case unknown
}

/// Why a link that was good once is not any more.
public enum LinkEnd: Hashable, Sendable, CaseIterable {
    /// Nobody followed it in time.
    case expired
    /// It was followed or refused, or another one of the same message was.
    case spent
}

/// What whoever waits for an enchanted link is told.
public enum PendingVerdict: Hashable, Sendable {
    case waiting
    /// Handed out now, and never again.
    case approved(VerificationFacts, userID: UserID, isFirst: Bool)
    case expired
    /// Never begun, cancelled, or collected.
    case unknown
}

/// Links in messages. Single use is the store's promise, not the caller's.
public protocol LinkStore: Sendable {
    /// Adds links that expire together, and the reference by which somebody waits for them. One transaction.
    func add(_ links: [PendingLink], reference: SecretDigest?, expiresAt: UnixTime, at now: UnixTime)
        async throws(StoreError)

    /// What a live link is for. Spends nothing. One whose message was answered in another way is not live.
    func describe(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkDescription?

    /// Why a link is not live, as long as that is remembered: ``Limits/linkMemorySeconds`` after its expiry.
    ///
    /// - Returns: `nil` for one that is live, was never made, or was forgotten.
    func end(of digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkEnd?

    /// Spends a link in one transaction: of any number of concurrent calls one gets `.right`. A wrong link of three
    /// cancels the other two.
    func redeem(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> LinkVerdict

    /// The link of this reference was followed by `user`: whoever waits may collect.
    ///
    /// - Returns: `false` if nobody waits any more.
    func approve(_ reference: SecretDigest, user: UserID, isFirst: Bool, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// Hands out what was approved: one guarded statement, so that one call of any number gets it.
    func collect(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> PendingVerdict

    /// Whether somebody waits and nothing has happened yet. Spends nothing.
    func isWaiting(_ reference: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool

    /// Removes every link of a user, followed or not.
    func removeAll(of user: UserID) async throws(StoreError)
}
