public import KeyturnBase

/// One attempt to open a key with its secret, counted before anything was compared.
public struct KeyAttempt: Hashable, Sendable {
    /// The key as it was when the attempt was counted.
    public let key: StoredDataKey
    /// Which of the key's attempts it is: whoever comes after it has the next number.
    public let number: Int64

    public init(key: StoredDataKey, number: Int64) {
        self.key = key
        self.number = number
    }
}

/// What becomes of the wish to try a secret.
public enum KeyAttemptStart: Hashable, Sendable {
    case begun(KeyAttempt)
    /// Another attempt is not decided yet; nothing was counted.
    case busy
    /// Too many were wrong, or the owner may not sign in. `isNew`: the lock was found by this call, because whoever made
    /// the last attempt never heard of its end.
    case closed(isNew: Bool)
    /// The network has guessed too often; nothing was counted on the key.
    case throttled(until: UnixTime)
    case unknown
}

/// What is written when a secret was right.
public enum KeyChange: Hashable, Sendable {
    /// It was handed out; with wraps that take the place of the ones there are.
    case used(DataKeyWraps?)
    case removed
}

/// What became of a wrong secret.
public enum KeyFailure: Hashable, Sendable {
    /// Wrong ones that are left.
    case left(Int64)
    /// `isNew`: by this one.
    case locked(isNew: Bool)
    case gone
}

/// What became of a new key.
public enum KeyAddition: Hashable, Sendable {
    case added
    /// A key was made by a request of the same name before; nothing is written.
    case repeated(id: String)
}

/// Data keys of devices. That nobody tries more than ``Limits/keyAttemptsMax`` secrets in a row, and
/// ``Limits/keyGuessesMax`` in a month, is the store's promise, not
/// the caller's: an attempt is counted, durably, before its caller learns what to compare with.
public protocol KeyServiceStore: Sendable {
    /// Adds a key, in one transaction. An owner who has too many of that client loses the one not used for longest.
    ///
    /// - Parameter name: of the request, for ``Limits/idempotencySeconds``; of any number of concurrent calls with one name
    ///   one gets `.added`.
    func add(_ key: StoredDataKey, name: SecretDigest?, at now: UnixTime) async throws(StoreError) -> KeyAddition

    /// The key of this identifier, if it is in this realm. One read.
    func key(_ id: String, realm: String) async throws(StoreError) -> StoredDataKey?

    /// The identifier of the key that a request of this name made.
    func key(named name: SecretDigest, at now: UnixTime) async throws(StoreError) -> String?

    /// Counts an attempt, in one guarded UPDATE, before anything is compared: of any number of concurrent calls one begins,
    /// and the next one when that is decided, or ``Limits/keyAttemptSeconds`` later.
    ///
    /// - Parameter charges: paid first, in the same transaction, and kept unless the attempt succeeds.
    func begin(_ id: String, realm: String, charges: [RateLimitCharge], at now: UnixTime)
        async throws(StoreError) -> KeyAttemptStart

    /// The secret was right: counts those in a row back to nothing and makes the change, if this attempt is still the last one and the key
    /// is not locked. One transaction.
    ///
    /// - Returns: `false` if it is not; then this attempt alone is counted back, and the caller hands nothing out.
    func succeed(
        _ attempt: KeyAttempt, _ change: KeyChange, from network: String?, refunding purses: [String], at now: UnixTime
    )
        async throws(StoreError) -> Bool

    /// The secret was wrong: the key is locked if it was the last one.
    func fail(_ attempt: KeyAttempt, at now: UnixTime) async throws(StoreError) -> KeyFailure

    /// Gives an attempt back that compared nothing, if no other one has begun since.
    func withdraw(_ attempt: KeyAttempt, refunding purses: [String], at now: UnixTime) async throws(StoreError)

    /// The long secret was right: makes the change, if the key is not locked. The count of secrets stays as it is.
    ///
    /// - Returns: `false` if it is locked or gone.
    func use(_ id: String, realm: String, _ change: KeyChange, from network: String?, at now: UnixTime)
        async throws(StoreError) -> Bool

    /// A person's keys in a realm, newest first.
    ///
    /// - Parameter clientID: only those that this client made; `nil`: all.
    func keys(of user: UserID, realm: String, clientID: String?, limit: Int) async throws(StoreError) -> [StoredDataKey]

    /// Removes one of a person's keys, locked or not.
    ///
    /// - Returns: `false` if it is not theirs.
    func remove(_ id: String, of user: UserID, realm: String, clientID: String?) async throws(StoreError) -> Bool

    /// Removes at most `limit` keys that nobody used for long, or ever.
    ///
    /// - Returns: how many.
    func removeUnused(since oldest: UnixTime, neverSince oldestUnused: UnixTime, limit: Int)
        async throws(StoreError) -> Int
}
