public import KeyturnBase

/// Access tokens without a grant that were revoked before they expired (RFC 7009): kept until they expire.
public protocol RevokedTokenStore: Sendable {
    /// Revokes the token.
    func revoke(tokenID: String, expiresAt: UnixTime) async throws(StoreError)

    /// Whether one of the tokens was revoked. One statement.
    func isRevoked(anyOf tokenIDs: [String]) async throws(StoreError) -> Bool
}
