public import Authority
public import KeyturnBase

/// The public half of the key that an anonymous user is known by.
public struct StoredAnonymousKey: Hashable, Sendable {
    /// `kid`: chosen by the device, and unique here.
    public let id: String
    public let userID: UserID
    /// The app that the key belongs to; other clients cannot sign in with it.
    public let clientID: String
    /// As a JSON Web Key.
    public let publicKey: JSONValue
    /// The signature algorithm, by its name in RFC 7518 §3.1.
    public let algorithm: String
    public let createdAt: UnixTime
    /// `nil`: not used since it was added.
    public let usedAt: UnixTime?

    public init(
        id: String, userID: UserID, clientID: String, publicKey: JSONValue, algorithm: String, createdAt: UnixTime,
        usedAt: UnixTime? = nil
    ) {
        self.id = id
        self.userID = userID
        self.clientID = clientID
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// The result of a sign-in of an anonymous user.
public enum AnonymousOpening: Hashable, Sendable {
    /// `canReauthenticate`: whether the user has a factor to reauthenticate with, which only an added passkey or
    /// authenticator is.
    case opened(canReauthenticate: Bool)
    /// The challenge was used before: nothing is written.
    case challengeSpent
    /// There is a key with that identifier already: nothing is written, and the challenge is not spent.
    case taken
    /// Too many lately: nothing but the challenge is spent.
    case tooMany
    /// The key, or the user, is not there any more or not anonymous any more: nothing is written.
    case keyGone
    /// The user may not sign in: nothing is written.
    case userDisabled
}

/// Anonymous users, the keys that they are known by, and the session that each key opened: one at a time.
public protocol AnonymousStore: Sendable {
    /// Adds an anonymous user with their key and their first session, and spends the challenge. One transaction.
    ///
    /// - Parameters:
    ///   - user: with ``User/anonymousAt``.
    ///   - key: `nil`: the user is known by their session alone.
    ///   - challenge: `nil` without a key.
    ///   - charges: counted after the challenge is spent: a repeated answer costs nothing.
    func signUp(
        _ user: User, key: StoredAnonymousKey?, opening grant: Grant, challenge: ReplayMark?,
        charges: [RateLimitCharge], by permission: borrowing Allowed<Acts.CreateAccount>, at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening

    /// Opens a grant for a key's user, spends the challenge, and ends what the key opened before. One transaction.
    func open(
        _ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime
    ) async throws(StoreError) -> AnonymousOpening

    /// A key and its user. One statement.
    func key(_ id: String) async throws(StoreError) -> (key: StoredAnonymousKey, user: User)?

    /// Looks at the anonymous users that were seen last before a time, at most `limit` of them, and removes those that
    /// have no session and nothing to sign in with but their key. The others count as seen now. One transaction.
    ///
    /// An anonymous user is seen when they sign up, and until their last session is removed as over.
    ///
    /// - Returns: the removed users, and how many were looked at.
    func removeUnseen(since time: UnixTime, limit: Int, at now: UnixTime) async throws(StoreError) -> AnonymousRemoval
}

/// The result of a round of removing anonymous users.
public struct AnonymousRemoval: Hashable, Sendable {
    public let removed: [UserID]
    /// Fewer than the limit: nothing is left for now.
    public let examined: Int

    public init(removed: [UserID], examined: Int) {
        self.removed = removed
        self.examined = examined
    }
}
