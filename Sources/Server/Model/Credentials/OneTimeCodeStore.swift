public import KeyturnBase

/// A code on its way to somebody. The store holds its digest, never the code.
public struct PendingCode: Hashable, Sendable {
    /// Whose codes these are, and how they travel: tries are counted for all live codes of a slot together.
    public let slot: String
    /// Keyed with a secret of the server: a code is short, so that a plain digest of it could be searched.
    public let digest: SecretDigest
    public let facts: VerificationFacts
    /// Good before this moment.
    public let expiresAt: UnixTime

    public init(slot: String, digest: SecretDigest, facts: VerificationFacts, expiresAt: UnixTime) {
        self.slot = slot
        self.digest = digest
        self.facts = facts
        self.expiresAt = expiresAt
    }
}

/// One of the counts that a try goes on.
public struct TryCount: Hashable, Sendable {
    /// At whose codes.
    public let slot: String
    /// Whose tries.
    public let party: String
    /// Tries within a window.
    public let max: Int64
    /// Whether whoever types is told that none is left. Otherwise the code passes for a wrong one.
    public let isTold: Bool

    public init(slot: String, party: String, max: Int64, isTold: Bool = true) {
        self.slot = slot
        self.party = party
        self.max = max
        self.isTold = isTold
    }
}

/// One try at a slot.
public struct CodeTry: Hashable, Sendable {
    public let slot: String
    /// What was typed, under each secret that may have made it; the newest first.
    public let digests: [SecretDigest]
    /// Every count that it goes on; no two of the same slot and party.
    public let counts: [TryCount]

    public init(slot: String, digests: [SecretDigest], counts: [TryCount]) {
        self.slot = slot
        self.digests = digests
        self.counts = counts
    }
}

/// What became of a try.
public enum CodeVerdict: Hashable, Sendable {
    /// The code is spent now, and so is every other one of the slot for the same purpose.
    case right(VerificationFacts)
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
    /// `.right`, and no more are compared within `windowSeconds` of the first than each of its counts allows. A right code
    /// clears the counts of all the slots.
    ///
    /// Takes the same statements whether the slot holds codes or not.
    func redeem(_ attempt: CodeTry, windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> CodeVerdict

    /// When tries are left again on every one of the counts; `nil`: they are now. Counts nothing, and takes the same
    /// statements whatever was tried.
    func exhausted(_ counts: [TryCount], at now: UnixTime) async throws(StoreError) -> UnixTime?

    /// Removes every code of a user.
    func removeAll(of user: UserID) async throws(StoreError)
}
