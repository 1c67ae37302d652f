public import KeyturnBase

/// The tokens that a provider gave for a user, of connections that keep them.
public struct ProviderTokens: Hashable, Sendable, Codable {
    public var accessToken: String
    /// `nil`: the provider gave none.
    public var refreshToken: String?
    /// What the access token is for.
    public var scopes: [String]
    /// `nil`: the provider does not say.
    public var expiresAt: UnixTime?

    public init(accessToken: String, refreshToken: String? = nil, scopes: [String] = [], expiresAt: UnixTime? = nil) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.scopes = scopes
        self.expiresAt = expiresAt
    }
}

/// A provider's tokens as they are stored: sealed.
public struct StoredProviderTokens: Hashable, Sendable {
    public let key: FederatedIdentity.Key
    public let sealed: [UInt8]

    public init(key: FederatedIdentity.Key, sealed: [UInt8]) {
        self.key = key
        self.sealed = sealed
    }
}

/// Providers' tokens, one row for each identity. When the identity goes, in whatever way, the row stays until the tokens
/// are revoked at the provider.
public protocol ProviderTokenStore: Sendable {
    /// Adds or replaces the tokens of an identity.
    ///
    /// - Returns: `false` if there is no such identity; nothing is written then.
    func keep(_ tokens: StoredProviderTokens) async throws(StoreError) -> Bool

    /// The tokens of an identity that is there. One statement.
    func tokens(of key: FederatedIdentity.Key) async throws(StoreError) -> StoredProviderTokens?

    /// Replaces tokens by refreshed ones, in one guarded statement.
    ///
    /// - Returns: `false` if they are no longer `old`.
    func replace(_ old: StoredProviderTokens, by sealed: [UInt8]) async throws(StoreError) -> Bool

    /// Tokens whose identity is gone, to be revoked now, at most `limit`. Each is given out again after `seconds`, unless it
    /// is removed: another process does not take it meanwhile.
    func ended(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [EndedProviderTokens]

    /// Removes tokens, if they are still these.
    func remove(_ tokens: StoredProviderTokens) async throws(StoreError)
}

/// Tokens whose identity is gone.
public struct EndedProviderTokens: Hashable, Sendable {
    public let tokens: StoredProviderTokens
    /// How often they were given out, this time included.
    public let attempts: Int

    public init(tokens: StoredProviderTokens, attempts: Int) {
        self.tokens = tokens
        self.attempts = attempts
    }
}
