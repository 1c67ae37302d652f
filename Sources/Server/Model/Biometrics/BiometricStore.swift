public import KeyturnBase
public import KeyturnWire

/// The public half of a key that signs for whoever touches a device.
public struct StoredBiometricKey: Hashable, Sendable {
    /// `kid`: the device's own, and nobody else's.
    public let id: String
    public let userID: UserID
    /// The app that the key belongs to; others do not sign in with it.
    public let clientID: String
    /// What the session had that it was set up in: nothing that it opens has more.
    public let scope: Scope
    /// Whether the session that it was set up in had shown the account's second factor, or a passkey.
    public let isStrong: Bool
    /// As a JSON Web Key.
    public let publicKey: JSONValue
    /// What it signs with, by its name in RFC 7518 §3.1.
    public let algorithm: String
    /// What the device called itself.
    public let device: String
    public let createdAt: UnixTime
    /// `nil`: nobody has signed in with it yet.
    public let usedAt: UnixTime?

    public init(
        id: String, userID: UserID, clientID: String, scope: Scope, isStrong: Bool, publicKey: JSONValue,
        algorithm: String,
        device: String, createdAt: UnixTime, usedAt: UnixTime? = nil
    ) {
        self.id = id
        self.userID = userID
        self.clientID = clientID
        self.scope = scope
        self.isStrong = isStrong
        self.publicKey = publicKey
        self.algorithm = algorithm
        self.device = device
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// What became of a new key.
public enum BiometricAddition: Hashable, Sendable {
    /// With the owner's other keys that had to go.
    case added(removed: [String])
    /// The challenge was answered before: nothing is written.
    case challengeSpent
    /// There is a key of that name already: nothing is written.
    case taken
    /// Too many were added lately: nothing is written.
    case tooMany
    /// The session that it was to be added in is over: nothing is written.
    case signedOut
}

/// What became of a sign-in with a key.
public enum BiometricOpening: Hashable, Sendable {
    /// And whether the owner has anything to prove again who they are with.
    case opened(canReauthenticate: Bool)
    /// The challenge was answered before: nothing is written.
    case challengeSpent
    /// It was used too often lately: nothing is written.
    case tooMany
    /// The key is not there any more: nothing is written.
    case keyGone
    /// Its owner may not sign in: nothing is written.
    case userDisabled
}

/// Keys behind fingerprints, and the sessions that each of them opened: one at a time.
///
/// Whatever ends all sessions of a user removes their keys too, but for the one that the session which goes on came of.
public protocol BiometricStore: Sendable {
    /// Adds a key in a session that is alive, and spends the challenge that it was made fresh with. Its owner's
    /// `keysMax` used last stay. One transaction.
    ///
    /// - Parameters:
    ///   - session: the grant whose access token came along.
    ///   - charge: paid once the challenge is spent: what was answered before costs nobody anything.
    func add(
        _ key: StoredBiometricKey, in session: GrantID, challenge: ReplayMark, charge: RateLimitCharge, keysMax: Int,
        at now: UnixTime
    ) async throws(StoreError) -> BiometricAddition

    /// A key, its owner, and whether they have an authenticator. One statement.
    func key(_ id: String) async throws(StoreError) -> (key: StoredBiometricKey, user: User, hasAuthenticator: Bool)?

    /// Opens a grant for a key's owner, spends the challenge, and ends what the key had opened before. One transaction.
    func open(
        _ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime
    ) async throws(StoreError) -> BiometricOpening

    /// A user's keys, the newest first.
    func keys(of user: UserID) async throws(StoreError) -> [StoredBiometricKey]

    /// Removes a key of a user, and ends what it opened. One transaction.
    ///
    /// - Returns: whether this call removed it. One that is gone, or somebody else's, is not removed.
    func remove(_ id: String, of user: UserID, at now: UnixTime) async throws(StoreError) -> Bool
}
