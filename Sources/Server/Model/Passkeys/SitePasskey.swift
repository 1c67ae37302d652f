/// A passkey, and the site's user who gets it.
public struct SitePasskey: Hashable, Sendable {
    public let passkey: StoredPasskey
    public let user: SiteUser

    public init(_ passkey: StoredPasskey, of user: SiteUser) {
        self.passkey = passkey
        self.user = user
    }
}

/// Which one of several passkeys was refused first, and why.
public struct SitePasskeyRefusal: Hashable, Sendable {
    /// Its place, from 0.
    public let index: Int
    public let reason: PasskeyAddition

    public init(index: Int, reason: PasskeyAddition) {
        self.index = index
        self.reason = reason
    }
}
