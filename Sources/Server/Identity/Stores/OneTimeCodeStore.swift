public import KeyturnBase

/// A code on its way to somebody. The store holds its digest, never the code.
public struct PendingCode: Hashable, Sendable {
    /// Whose codes these are, and how they travel: tries are counted for all live codes of a slot together.
    public let slot: String
    /// Keyed with a secret of the server: a code is short, so that a plain digest of it could be searched.
    public let digest: SecretDigest
    public let facts: ProofFacts
    /// Good before this moment.
    public let expiresAt: UnixTime

    public init(slot: String, digest: SecretDigest, facts: ProofFacts, expiresAt: UnixTime) {
        self.slot = slot
        self.digest = digest
        self.facts = facts
        self.expiresAt = expiresAt
    }
}

/// One try at a slot.
public struct CodeTry: Hashable, Sendable {
    public let slot: String
    /// What was typed, under each secret that may have made it; the newest first.
    public let digests: [SecretDigest]
    /// On whose count it goes. Strangers share one; a network that signed in before has its own, which strangers cannot
    /// use up.
    public let party: String

    public init(slot: String, digests: [SecretDigest], party: String) {
        self.slot = slot
        self.digests = digests
        self.party = party
    }
}

/// What became of a try.
public enum CodeVerdict: Hashable, Sendable {
    /// The code is spent now, and so is every other one of the slot for the same purpose.
    case right(ProofFacts)
    case wrong
    /// Right, but too late.
    case expired
    /// Too many tries; this one was not compared.
    case exhausted(retryAt: UnixTime)
}

/// One-time codes. Single use and the count of tries are the store's promise, not the caller's.
public protocol OneTimeCodeStore: Sendable {
    /// Adds a code and keeps the newest `liveMax` of its slot. Tries that were counted stay counted. One transaction.
    func add(_ code: PendingCode, liveMax: Int, at now: UnixTime) async throws(StoreError)

    /// Counts the try, then compares, in one transaction: of any number of concurrent calls with the right code one gets
    /// `.right`, and no more than `triesMax` are compared for each party within `windowSeconds` of the first.
    ///
    /// Takes the same statements whether the slot holds codes or not.
    func redeem(_ attempt: CodeTry, triesMax: Int64, windowSeconds: Int64, at now: UnixTime)
        async throws(StoreError) -> CodeVerdict

    /// Removes every code of a user.
    func removeAll(of user: UserID) async throws(StoreError)
}
