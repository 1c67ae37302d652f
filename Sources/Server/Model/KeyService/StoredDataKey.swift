public import KeyturnBase

/// A data key as the store keeps it: wrapped twice, with the count of what was tried in vain.
///
/// No column opens another one. ``bySecret`` wants the person's secret, ``byLongSecret`` what a device keeps, and both
/// the server's own secret; ``longSecret`` wants the data key.
public struct StoredDataKey: Hashable, Sendable {
    /// 22 characters of base64url: nobody finds one by trying.
    public let id: String
    /// Empty: made outside of all realms.
    public let realm: String
    /// Whose it is; `nil`: nobody has said.
    public let userID: UserID?
    /// The client whose access token said whose it is.
    public let clientID: String?
    public var wraps: DataKeyWraps
    /// Attempts in a row that have not succeeded, those that are not decided included.
    public let failures: Int64
    /// Over for good.
    public let lockedAt: UnixTime?
    /// Whether its owner may sign in; a key without one has nothing to wait for.
    public let ownerIsActive: Bool
    public let createdAt: UnixTime
    /// When it was handed out last.
    public let usedAt: UnixTime?
    /// To which network; `nil`: never, or nobody knows.
    public let usedFrom: String?

    public init(
        id: String, realm: String, userID: UserID? = nil, clientID: String? = nil, wraps: DataKeyWraps,
        failures: Int64 = 0, lockedAt: UnixTime? = nil, ownerIsActive: Bool = true, createdAt: UnixTime,
        usedAt: UnixTime? = nil, usedFrom: String? = nil
    ) {
        self.id = id
        self.realm = realm
        self.userID = userID
        self.clientID = clientID
        self.wraps = wraps
        self.failures = failures
        self.lockedAt = lockedAt
        self.ownerIsActive = ownerIsActive
        self.createdAt = createdAt
        self.usedAt = usedAt
        self.usedFrom = usedFrom
    }

    /// Whether nothing opens it: too many were wrong, or its owner may not sign in.
    public var isClosed: Bool { lockedAt != nil || !ownerIsActive }
}

/// The sealed parts of a key.
public struct DataKeyWraps: Hashable, Sendable {
    /// 16 bytes.
    public var salt: [UInt8]
    /// What the secret is derived with.
    public var parameters: Argon2Parameters
    /// The data key under the secret, under the server's.
    public var bySecret: [UInt8]
    /// The data key under the long secret, under the server's.
    public var byLongSecret: [UInt8]
    /// The long secret under the data key.
    public let longSecret: [UInt8]

    public init(
        salt: [UInt8], parameters: Argon2Parameters, bySecret: [UInt8], byLongSecret: [UInt8], longSecret: [UInt8]
    ) {
        self.salt = salt
        self.parameters = parameters
        self.bySecret = bySecret
        self.byLongSecret = byLongSecret
        self.longSecret = longSecret
    }
}
