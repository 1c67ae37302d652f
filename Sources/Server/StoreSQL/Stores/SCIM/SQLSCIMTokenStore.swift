internal import Foundation
internal import Authority
internal import KeyturnBase
internal import Model

/// Tokens of provisioning clients.
struct SQLSCIMTokenStore: SCIMTokenStore {
    let database: any SQLDatabase

    private static let columns = "id, tenant_id, name, created_at, expires_at, used_at"

    func create(
        _ token: SCIMToken, digest: SecretDigest, by permission: borrowing Allowed<Acts.MakeProvisioningToken>
    ) async throws(StoreError) -> Bool {
        try permission.grounds.requireProject(of: token.tenantID)
        return try await database.write(.serializable) { db in
            try SQLUserStore.requireTenant(token.tenantID, db)
            let count: Int? = try db.first(
                "SELECT count(*) AS n FROM scim_token WHERE tenant_id = ?", [token.tenantID])?["n"]
            guard count ?? 0 < Limits.scimTokensMax else { return false }
            try db.run(
                "INSERT INTO scim_token (digest, \(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?)",
                [
                    Data(digest.bytes), token.id, token.tenantID, token.name, token.createdAt.rawValue,
                    token.expiresAt?.rawValue, token.usedAt?.rawValue,
                ])
            return true
        }
    }

    func use(_ digest: SecretDigest, at now: UnixTime) async throws(StoreError) -> SCIMToken? {
        let found = try await database.read { db in
            try db.first(
                """
                SELECT \(Self.columns) FROM scim_token
                WHERE digest = ?1 AND (expires_at IS NULL OR expires_at > ?2)
                """, [Data(digest.bytes), now.rawValue]
            ).map(Self.token)
        }
        guard let found, found.usedAt.map({ now.seconds(since: $0) >= Limits.scimUseSeconds }) ?? true else {
            return found
        }
        _ = try await database.once(.local) { db in
            try db.run("UPDATE scim_token SET used_at = ? WHERE id = ?", [now.rawValue, found.id])
        }
        return found
    }

    func tokens(of tenant: String) async throws(StoreError) -> [SCIMToken] {
        try await database.read { db in
            try db.all(
                "SELECT \(Self.columns) FROM scim_token WHERE tenant_id = ? ORDER BY created_at, id LIMIT ?",
                [tenant, Limits.scimTokensMax]
            ).map(Self.token)
        }
    }

    func revoke(_ id: String, by permission: borrowing Allowed<Acts.MakeProvisioningToken>)
        async throws(StoreError) -> Bool
    {
        let tenant = try permission.grounds.requireTenant()
        return try await database.write(.serializable) { db in
            try db.run("DELETE FROM scim_token WHERE id = ? AND tenant_id = ?", [id, tenant]) == 1
        }
    }

    private static func token(_ row: SQLRow) -> SCIMToken {
        SCIMToken(
            id: row["id"], tenantID: row["tenant_id"], name: row["name"], createdAt: row.time("created_at"),
            expiresAt: row.optionalTime("expires_at"), usedAt: row.optionalTime("used_at"))
    }
}
