public import KeyturnBase

/// A data key as the store keeps it: wrapped twice, with the count of failed attempts.
///
/// No column opens another one. ``bySecret`` needs the user's secret, ``byLongSecret`` the device's long secret, and
/// both the server's own secret; ``longSecret`` needs the data key.
public struct StoredDataKey: Hashable, Sendable {
    /// 22 characters of base64url: too many to guess.
    public let id: String
    /// Empty: outside of all realms.
    public let realm: String
    /// The owner; `nil`: not known.
    public let userID: UserID?
    /// The client whose access token named the owner.
    public let clientID: String?
    public var wraps: DataKeyWraps
    /// Failed attempts in a row, undecided ones included.
    public let failures: Int64
    /// When it was locked for good.
    public let lockedAt: UnixTime?
    /// Whether its owner may sign in; `true` for a key without owner.
    public let ownerIsActive: Bool
    public let createdAt: UnixTime
    /// When it was last returned.
    public let usedAt: UnixTime?
    /// The network it was returned to; `nil`: never, or not known.
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

    /// Whether it cannot be opened: too many wrong secrets, or its owner may not sign in.
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

extension DataKeyWraps {
    /// Which of the two secrets a wrap is for.
    public enum Kind: String, Hashable, Sendable {
        case secret
        case longSecret = "long-secret"
    }

    /// What is authenticated with everything that belongs to a key: its realm and identifier. The length separates
    /// them.
    package static func name(_ id: String, _ realm: String) -> [UInt8] {
        Array("\(realm.utf8.count):\(realm)\(id)".utf8)
    }

    /// What is authenticated with the server's seal of a wrap.
    package static func sealContext(_ kind: Kind, _ name: [UInt8]) -> [UInt8] {
        Array("\(kind.rawValue)/".utf8) + name
    }
}
