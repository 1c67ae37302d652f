internal import KeyturnBase
internal import Model

/// Revoked access tokens.
struct SQLRevokedTokenStore: RevokedTokenStore {
    let database: any SQLDatabase

    func revoke(tokenID: String, expiresAt: UnixTime) async throws(StoreError) {
        _ = try await database.once(.replicated) { db in
            try db.run(
                "INSERT INTO revoked_token (id, expires_at) VALUES (?, ?) ON CONFLICT DO NOTHING",
                [tokenID, expiresAt.rawValue])
        }
    }

    func isRevoked(anyOf tokenIDs: [String]) async throws(StoreError) -> Bool {
        guard !tokenIDs.isEmpty else { return false }
        let places = tokenIDs.map { _ in "?" }.joined(separator: ", ")
        return try await database.read { db in
            try db.first("SELECT 1 FROM revoked_token WHERE id IN (\(places)) LIMIT 1", tokenIDs)
                != nil
        }
    }
}
