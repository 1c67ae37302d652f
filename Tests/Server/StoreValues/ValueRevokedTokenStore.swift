internal import KeyturnBase
internal import Model

/// Revoked access tokens.
struct ValueRevokedTokenStore: RevokedTokenStore {
    let database: ValueDatabase

    func revoke(tokenID: String, expiresAt: UnixTime) throws(StoreError) {
        try database.write { world in
            if world.revokedTokens[tokenID] == nil { world.revokedTokens[tokenID] = expiresAt }
        }
    }

    func isRevoked(anyOf tokenIDs: [String]) throws(StoreError) -> Bool {
        try database.read { world in tokenIDs.contains { world.revokedTokens[$0] != nil } }
    }
}
