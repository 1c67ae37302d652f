internal import Foundation
internal import KeyturnBase
internal import Model

/// Providers' tokens, sealed. A trigger marks those whose identity goes, also with its user.
struct SQLProviderTokenStore: ProviderTokenStore {
    let database: any SQLDatabase

    private static let isKey = "connection_id = ? AND issuer = ? AND subject = ?"

    private static func values(_ key: FederatedIdentity.Key) -> Values {
        [key.connectionID, key.issuer, key.subject]
    }

    func keep(_ tokens: StoredProviderTokens) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            try db.run(
                """
                INSERT INTO provider_token (connection_id, issuer, subject, sealed, due_at, attempts)
                SELECT connection_id, issuer, subject, ?, NULL, 0 FROM federated_identity WHERE \(Self.isKey)
                ON CONFLICT (connection_id, issuer, subject)
                DO UPDATE SET sealed = excluded.sealed, due_at = NULL, attempts = 0
                """, [Data(tokens.sealed)] + Self.values(tokens.key)) == 1
        }
    }

    func tokens(of key: FederatedIdentity.Key) async throws(StoreError) -> StoredProviderTokens? {
        try await database.read { db in
            try db.first(
                "SELECT sealed FROM provider_token WHERE \(Self.isKey) AND due_at IS NULL", Self.values(key)
            ).map { StoredProviderTokens(key: key, sealed: Array($0["sealed"] as Data)) }
        }
    }

    func replace(_ old: StoredProviderTokens, by sealed: [UInt8]) async throws(StoreError) -> Bool {
        try await database.write(.guarded) { db in
            try db.run(
                "UPDATE provider_token SET sealed = ? WHERE \(Self.isKey) AND sealed = ? AND due_at IS NULL",
                [Data(sealed)] + Self.values(old.key) + [Data(old.sealed)]) == 1
        }
    }

    func ended(limit: Int, leaseSeconds: Int64, at now: UnixTime) async throws(StoreError) -> [EndedProviderTokens] {
        let isDue = try await database.read { db in
            try db.first("SELECT 1 FROM provider_token WHERE due_at <= ? LIMIT 1", [now.rawValue]) != nil
        }
        guard isDue else { return [] }
        return try await database.write(.guarded) { db in
            try db.all(
                """
                WITH picked AS MATERIALIZED (
                    SELECT connection_id, issuer, subject FROM provider_token WHERE due_at <= ?2
                    ORDER BY due_at LIMIT ?3 \(db.dialect.fragments.skipLocked("provider_token")))
                UPDATE provider_token SET due_at = ?1, attempts = attempts + 1
                WHERE due_at <= ?2 AND (connection_id, issuer, subject) IN (
                    SELECT connection_id, issuer, subject FROM picked)
                RETURNING connection_id, issuer, subject, sealed, attempts
                """, [(now + leaseSeconds).rawValue, now.rawValue, limit]
            ).map { row in
                EndedProviderTokens(
                    tokens: StoredProviderTokens(
                        key: FederatedIdentity.Key(
                            connectionID: row["connection_id"], issuer: row["issuer"], subject: row["subject"]),
                        sealed: Array(row["sealed"] as Data)),
                    attempts: row["attempts"])
            }
        }
    }

    func remove(_ tokens: StoredProviderTokens) async throws(StoreError) {
        try await database.write(.guarded) { db in
            _ = try db.run(
                "DELETE FROM provider_token WHERE \(Self.isKey) AND sealed = ?",
                Self.values(tokens.key) + [Data(tokens.sealed)])
        }
    }
}
