internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// Connections to identity providers, sealed.
struct SQLConnectionStore: ConnectionStore {
    let database: any SQLDatabase

    func all(limit: Int) async throws(StoreError) -> [StoredConnection] {
        try await database.read { db in
            try db.all("SELECT id, tenant_id, sealed FROM connection ORDER BY id LIMIT ?", [limit]).map { row in
                StoredConnection(id: row["id"], tenantID: row["tenant_id"], sealed: Array(row["sealed"] as Data))
            }
        }
    }

    func create(_ connection: StoredConnection, by permission: borrowing Allowed<Acts.ChangeConnection>, max: Int)
        async throws(StoreError) -> Bool
    {
        try permission.grounds.requireConnection(connection)
        return try await database.write(.serializable) { db in
            let row = try db.first("SELECT count(*) AS n FROM connection", [])
            let count: Int = row?["n"] ?? 0
            guard count < max else { return false }
            if let tenant = connection.tenantID { try SQLUserStore.requireTenant(tenant, db) }
            try db.run(
                "INSERT INTO connection (id, tenant_id, sealed) VALUES (?, ?, ?)",
                [connection.id, connection.tenantID, Data(connection.sealed)])
            return true
        }
    }

    func replace(
        _ old: StoredConnection, with sealed: [UInt8], by permission: borrowing Allowed<Acts.ChangeConnection>
    ) async throws(StoreError) -> Bool {
        try permission.grounds.requireConnection(old)
        return try await database.write(.guarded) { db in
            try db.run(
                "UPDATE connection SET sealed = ? WHERE id = ? AND tenant_id IS NOT DISTINCT FROM ? AND sealed = ?",
                [Data(sealed), old.id, old.tenantID, Data(old.sealed)]) == 1
        }
    }

    func withdrawRoles(
        besides kept: Set<String>, by permission: borrowing Allowed<Acts.ChangeConnection>,
        after last: FederatedIdentity.Key?, limit: Int
    ) async throws(StoreError) -> FederatedIdentity.Key? {
        let id = try permission.grounds.requireConnection()
        return try await database.write(.serializable) { db in
            let identities = try SQLFederatedIdentityStore.givingRoles(at: id, after: last, limit: limit, db)
            for identity in identities {
                try SQLFederatedIdentityStore.withdrawRoles(of: identity, besides: kept, db)
            }
            return identities.count < limit ? nil : identities.last?.key
        }
    }

    func delete(by permission: borrowing Allowed<Acts.ChangeConnection>, at now: UnixTime)
        async throws(StoreError) -> Bool
    {
        let id = try permission.grounds.requireConnection()
        return try await database.write(.serializable) { db in
            try SQLFederatedIdentityStore.forget(connection: id, db, at: now)
            return try db.run("DELETE FROM connection WHERE id = ?", [id]) == 1
        }
    }
}
