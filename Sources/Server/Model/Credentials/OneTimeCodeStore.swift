public import KeyturnBase

/// A code that was sent to a user. The store holds its digest, never the code.
public struct PendingCode: Hashable, Sendable {
    /// The user and the channel of the codes: tries are counted for all live codes of a slot together.
    public let slot: String
    /// Keyed with a server secret: a code is short, so that a plain digest could be searched.
    public let digest: SecretDigest
    public let facts: VerificationFacts
    /// Valid before this moment.
    public let expiresAt: UnixTime

    public init(slot: String, digest: SecretDigest, facts: VerificationFacts, expiresAt: UnixTime) {
        self.slot = slot
        self.digest = digest
        self.facts = facts
        self.expiresAt = expiresAt
    }
}

/// One of the counters that a try raises.
public struct TryCount: Hashable, Sendable {
    /// The slot whose codes are tried.
    public let slot: String
    /// The party whose tries are counted.
    public let party: String
    /// Tries within a window.
    public let max: Int64
    /// Whether the user is told that no tries are left. Otherwise the code is reported as wrong.
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
    /// The typed code, under each secret that may have made it; the newest first.
    public let digests: [SecretDigest]
    /// Every counter that it raises; no two of the same slot and party.
    public let counts: [TryCount]

    public init(slot: String, digests: [SecretDigest], counts: [TryCount]) {
        self.slot = slot
        self.digests = digests
        self.counts = counts
    }
}

/// The result of a try.
public enum CodeVerdict: Hashable, Sendable {
    /// The code is spent now, and so is every other one of the slot for the same purpose.
    case right(VerificationFacts)
    case wrong
    /// Right, but too late.
    case expired
    /// Too many tries; this one was not compared.
    case exhausted(retryAt: UnixTime)
}

/// One-time codes. The store ensures single use and counts tries, not the caller.
public protocol OneTimeCodeStore: Sendable {
    /// Adds a code and keeps the newest `liveMax` of its slot. Counted tries stay counted. One transaction.
    func add(_ code: PendingCode, liveMax: Int, at now: UnixTime) async throws(StoreError)

    /// Counts the try, then compares, in one transaction: of any number of concurrent calls with the right code one
    /// gets `.right`, and within `windowSeconds` of the first no more are compared than each of its counters allows. A
    /// right code clears the counters of all the slots.
    ///
    /// Runs the same statements whether the slot holds codes or not.
    func redeem(_ attempt: CodeTry, windowSeconds: Int64, at now: UnixTime) async throws(StoreError) -> CodeVerdict

    /// When all the counters allow a try again; `nil`: they do now. Counts nothing, and runs the same statements
    /// whatever was tried.
    func exhausted(_ counts: [TryCount], at now: UnixTime) async throws(StoreError) -> UnixTime?

    /// Removes every code of a user.
    func removeAll(of user: UserID) async throws(StoreError)
}
