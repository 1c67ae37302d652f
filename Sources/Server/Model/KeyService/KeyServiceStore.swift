public import KeyturnBase

/// One attempt to open a key with its secret, counted before any comparison.
public struct KeyAttempt: Hashable, Sendable {
    /// The key as it was when the attempt was counted.
    public let key: StoredDataKey
    /// The number of this attempt at the key; the next one has the next number.
    public let number: Int64

    public init(key: StoredDataKey, number: Int64) {
        self.key = key
        self.number = number
    }
}

/// The result of starting an attempt.
public enum KeyAttemptStart: Hashable, Sendable {
    case begun(KeyAttempt)
    /// Another attempt is not decided yet; nothing was counted.
    case busy
    /// Too many were wrong, or the owner may not sign in. `isNew`: this call found the lock, because the client of the
    /// last attempt never got its answer.
    case closed(isNew: Bool)
    /// The network has guessed too often; nothing was counted on the key.
    case throttled(until: UnixTime)
    case unknown
}

/// What is written when a secret was right.
public enum KeyChange: Hashable, Sendable {
    /// It was returned; with wraps that replace the present ones.
    case used(DataKeyWraps?)
    case removed
}

/// The result of a wrong secret.
public enum KeyFailure: Hashable, Sendable {
    /// Attempts that are left.
    case left(Int64)
    /// `isNew`: locked by this attempt.
    case locked(isNew: Bool)
    case gone
}

/// The result of adding a key.
public enum KeyAddition: Hashable, Sendable {
    case added
    /// A request of the same name has made a key; nothing is written.
    case repeated(id: String)
}

/// Data keys of devices. The store limits the secrets tried to ``Limits/keyAttemptsMax`` in a row and
/// ``Limits/keyGuessesMax`` in a month, not the caller: an attempt is counted, durably, before its caller learns what
/// to compare with.
public protocol KeyServiceStore: Sendable {
    /// Adds a key, in one transaction. An owner with too many keys of that client loses the least recently used one.
    ///
    /// - Parameter name: of the request, for ``Limits/idempotencySeconds``; of any number of concurrent calls with one
    ///   name one gets `.added`.
    func add(_ key: StoredDataKey, name: SecretDigest?, at now: UnixTime) async throws(StoreError) -> KeyAddition

    /// The key of this identifier, if it is in this realm. One read.
    func key(_ id: String, realm: String) async throws(StoreError) -> StoredDataKey?

    /// The identifier of the key that a request of this name made.
    func key(named name: SecretDigest, at now: UnixTime) async throws(StoreError) -> String?

    /// Counts an attempt, in one guarded UPDATE, before anything is compared: of any number of concurrent calls one
    /// begins, and the next one when that is decided, or ``Limits/keyAttemptSeconds`` later.
    ///
    /// - Parameter charges: counted first, in the same transaction, and kept unless the attempt succeeds.
    func begin(_ id: String, realm: String, charges: [RateLimitCharge], at now: UnixTime)
        async throws(StoreError) -> KeyAttemptStart

    /// The secret was right: resets the attempts in a row and makes the change, if this attempt is still the last one
    /// and the key is not locked. One transaction.
    ///
    /// - Returns: `false` if it is not; then only this attempt is taken back, and the caller must not return the key.
    func succeed(
        _ attempt: KeyAttempt, _ change: KeyChange, from network: String?, refunding buckets: [String], at now: UnixTime
    )
        async throws(StoreError) -> Bool

    /// The secret was wrong: the key is locked if it was the last one.
    func fail(_ attempt: KeyAttempt, at now: UnixTime) async throws(StoreError) -> KeyFailure

    /// Takes an attempt back that compared nothing, if no other one has begun since.
    func withdraw(_ attempt: KeyAttempt, refunding buckets: [String], at now: UnixTime) async throws(StoreError)

    /// The long secret was right: makes the change, if the key is not locked. The count of secrets stays as it is.
    ///
    /// - Returns: `false` if it is locked or gone.
    func use(_ id: String, realm: String, _ change: KeyChange, from network: String?, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// A user's keys in a realm, newest first.
    ///
    /// - Parameter clientID: only those that this client made; `nil`: all.
    func keys(of user: UserID, realm: String, clientID: String?, limit: Int) async throws(StoreError) -> [StoredDataKey]

    /// Removes one of a user's keys, locked or not.
    ///
    /// - Returns: `false` if it is not theirs.
    func remove(_ id: String, of user: UserID, realm: String, clientID: String?) async throws(StoreError) -> Bool

    /// Removes at most `limit` keys that were not used for long, or never.
    ///
    /// - Returns: how many.
    func removeUnused(since oldest: UnixTime, neverSince oldestUnused: UnixTime, limit: Int)
        async throws(StoreError) -> Int
}
