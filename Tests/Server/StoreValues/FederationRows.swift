public import KeyturnBase
public import Model

/// The provider's session in which a browser session began.
public struct FederatedSessionRow: Hashable, Sendable {
    public let userID: UserID
    public let key: FederatedIdentity.Key
    public let providerSession: String?
    public let providerName: String?
    public var expiresAt: UnixTime
}

/// What a user's account remembers of an identity that ended.
public struct EndedIdentityKey: Hashable, Sendable {
    public let userID: UserID
    public let key: FederatedIdentity.Key
}

extension FederatedIdentity {
    var endedKey: EndedIdentityKey { EndedIdentityKey(userID: userID, key: key) }
}

/// The state of a sign-in at a provider.
public struct FederationStateRow: Hashable, Sendable {
    public let sealed: [UInt8]
    public let expiresAt: UnixTime
}
