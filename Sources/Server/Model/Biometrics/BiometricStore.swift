public import Authority
public import KeyturnBase
public import KeyturnWire

/// The public half of a device key that is unlocked by a fingerprint or a face.
public struct StoredBiometricKey: Hashable, Sendable {
    /// `kid`: unique to the device.
    public let id: String
    public let userID: UserID
    /// The app that the key belongs to; other clients cannot sign in with it.
    public let clientID: String
    /// The scope of the session it was set up in: the most that a sign-in with it gets.
    public let scope: Scope
    /// Whether the session it was set up in had verified a second factor or a passkey.
    public let isStrong: Bool
    /// As a JSON Web Key.
    public let publicKey: JSONValue
    /// The signature algorithm, by its name in RFC 7518 §3.1.
    public let algorithm: String
    /// What the device called itself.
    public let device: String
    public let createdAt: UnixTime
    /// `nil`: not used yet.
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

/// The result of adding a key.
public enum BiometricAddition: Hashable, Sendable {
    /// `removed`: the owner's other keys that were removed to make room.
    case added(removed: [String])
    /// The challenge was used before: nothing is written.
    case challengeSpent
    /// There is a key with that identifier already: nothing is written.
    case taken
    /// Too many were added lately: nothing is written.
    case tooMany
    /// The session that it was to be added in is over: nothing is written.
    case signedOut
}

/// The result of a sign-in with a key.
public enum BiometricOpening: Hashable, Sendable {
    /// `canReauthenticate`: whether the owner has a factor to reauthenticate with.
    case opened(canReauthenticate: Bool)
    /// The challenge was used before: nothing is written.
    case challengeSpent
    /// It was used too often lately: nothing is written.
    case tooMany
    /// The key is not there any more: nothing is written.
    case keyGone
    /// Its owner may not sign in: nothing is written.
    case userDisabled
}

/// Biometric keys, and the sessions that each of them opened: one at a time.
///
/// What ends all sessions of a user removes their keys too, except the one that opened a session that is kept.
public protocol BiometricStore: Sendable {
    /// Adds a key in a live session, and spends its challenge. The owner's `keysMax` most recently used keys stay. One
    /// transaction.
    ///
    /// - Parameters:
    ///   - session: the grant of the access token that was presented.
    ///   - charge: counted after the challenge is spent: a repeated answer costs nothing.
    func add(
        _ key: StoredBiometricKey, by allowed: consuming Allowed<Acts.AddDeviceKey>, in session: GrantID,
        challenge: ReplayMark, charge: RateLimitCharge, keysMax: Int, at now: UnixTime
    ) async throws(StoreError) -> BiometricAddition

    /// A key, its owner, and whether the owner has an authenticator. One statement.
    func key(_ id: String) async throws(StoreError) -> (key: StoredBiometricKey, user: User, hasAuthenticator: Bool)?

    /// Opens a grant for a key's owner, spends the challenge, and ends what the key opened before. One transaction.
    func open(
        _ grant: Grant, by keyID: String, challenge: ReplayMark, charge: RateLimitCharge, at now: UnixTime
    ) async throws(StoreError) -> BiometricOpening

    /// A user's keys, the newest first.
    func keys(of user: UserID) async throws(StoreError) -> [StoredBiometricKey]

    /// Removes a key of the permission's user, and ends what it opened. One transaction.
    ///
    /// - Returns: whether this call removed it; `false` if it is gone or another user's.
    /// - Throws: `forbidden` if the permission no longer holds; `missing` if there is no such user.
    func remove(_ id: String, by allowed: consuming Allowed<Acts.RemoveDeviceKey>, at now: UnixTime)
        async throws(StoreError) -> Bool
}
