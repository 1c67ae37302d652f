public import KeyturnBase
public import KeyturnWebAuthn

/// The name by which a passkey is managed: `ctl_` and 24 letters and digits. Gives no access.
public struct PasskeyID: RawRepresentable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    package static func make(_ ambient: Ambient) -> PasskeyID {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        // 62 does not divide 65 536, but the bias is too small to matter.
        let bytes = ambient.randomBytes(48)
        let letters = (0..<24).map { alphabet[(Int(bytes[2 * $0]) << 8 | Int(bytes[2 * $0 + 1])) % alphabet.count] }
        return PasskeyID(rawValue: "ctl_" + String(decoding: letters, as: UTF8.self))
    }
}

/// A registered passkey or security key.
public struct StoredPasskey: Hashable, Sendable {
    /// Whose it is.
    public enum Owner: Hashable, Sendable {
        /// A user of this server.
        case user(UserID)
        /// A user of a site, by the identifier that the site's backend gave.
        case siteUser(String)
    }

    public let id: PasskeyID
    /// The domain that it was made for.
    public let relyingParty: String
    public var record: CredentialRecord
    /// The name its owner gave it, at first that of its authenticator.
    public var name: String
    public var isActive: Bool
    /// The format of the statement that came with it, such as `packed`.
    public let attestationFormat: String
    public let createdAt: UnixTime
    /// When it was last used for a sign-in.
    public var usedAt: UnixTime?

    public init(
        id: PasskeyID, relyingParty: String, record: CredentialRecord, name: String, isActive: Bool = true,
        attestationFormat: String, createdAt: UnixTime, usedAt: UnixTime? = nil
    ) {
        self.id = id
        self.relyingParty = relyingParty
        self.record = record
        self.name = name
        self.isActive = isActive
        self.attestationFormat = attestationFormat
        self.createdAt = createdAt
        self.usedAt = usedAt
    }
}

/// A passkey and its owner.
public struct OwnedPasskey: Hashable, Sendable {
    public let passkey: StoredPasskey
    public let owner: StoredPasskey.Owner
    /// Of a site's user: the folded identifier, and the digest of the user name. `nil` otherwise.
    package let siteUser: SiteUserMark?

    public init(passkey: StoredPasskey, owner: StoredPasskey.Owner, siteUser: SiteUserMark? = nil) {
        self.passkey = passkey
        self.owner = owner
        self.siteUser = siteUser
    }
}

/// How a site's user is found.
public struct SiteUserMark: Hashable, Sendable {
    /// The identifier as it is compared.
    public let foldedID: String
    /// Of the user name, if one was given: keyed, so that names cannot be searched for in the database.
    public let usernameDigest: [UInt8]?

    public init(foldedID: String, usernameDigest: [UInt8]?) {
        self.foldedID = foldedID
        self.usernameDigest = usernameDigest
    }
}
