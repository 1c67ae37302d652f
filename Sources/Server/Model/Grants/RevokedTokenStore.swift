public import KeyturnBase

/// Access tokens without a grant that were given back before their time (RFC 7009): kept until they expire.
public protocol RevokedTokenStore: Sendable {
    /// Remembers that the token is no longer good.
    func revoke(tokenID: String, expiresAt: UnixTime) async throws(StoreError)

    /// Whether one of the tokens was given back. One statement.
    func isRevoked(anyOf tokenIDs: [String]) async throws(StoreError) -> Bool
}
