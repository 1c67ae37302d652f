internal import Authority
internal import Foundation
internal import KeyturnBase
internal import Model

/// Access keys by the digest of their secret.
struct SQLAccessKeyStore: AccessKeyStore {
    let database: any SQLDatabase

    /// The columns that ``key(_:)`` reads.
    private static let all = """
        id, name, description, is_active, user_id, roles, tenants, claims, attributes, networks, created_by, created_at,
        updated_at, expires_at
        """
    private static let byDigest = SQLText { sql in
        """
        SELECT k.id, k.name, k.description, k.is_active, k.user_id, k.roles, k.tenants, k.claims, k.attributes,
            k.networks, k.created_by, k.created_at, k.updated_at, k.expires_at, \(UserColumns.prefixed), u.roles AS u_roles,
            (SELECT \(sql.jsonObject("m.tenant_id", sql.json("m.roles"))) FROM membership m WHERE m.user_id = u.id)
                AS u_tenants
        FROM access_key k LEFT JOIN "user" u ON u.id = k.user_id WHERE k.digest = ?
        """
    }
    private static let ofTenants = SQLText { sql in
        """
        SELECT \(all) FROM access_key WHERE (?1 IS NULL OR user_id = ?1) AND (?2 = '[]' OR EXISTS (
            SELECT 1 FROM \(sql.jsonMembers("access_key.tenants", as: "t"))
            WHERE t.key IN (SELECT e.value FROM \(sql.jsonElements("?2", as: "e")))))
        ORDER BY number LIMIT ?3 OFFSET ?4
        """
    }

    func create(
        _ key: AccessKey, digest: SecretDigest, by permission: borrowing Allowed<Acts.ChangeAccessKeys>
    ) async throws(StoreError) {
        try permission.grounds.requireProject(of: nil)
        try await database.write(.serializable) { db in
            try Self.requireAll(key, db)
            try db.run(
                """
                INSERT INTO access_key (
                    id, digest, name, description, is_active, user_id, roles, tenants, claims, attributes, networks,
                    created_by, created_at, updated_at, expires_at
                ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [key.id, Data(digest.bytes)] + Self.columns(key)
                    + [key.createdBy, key.createdAt.rawValue, key.updatedAt.rawValue, key.expiresAt?.rawValue])
        }
    }

    func key(_ digest: SecretDigest) async throws(StoreError) -> (key: AccessKey, user: Account?)? {
        try await database.read { db in
            guard let row = try db.first(Self.byDigest, [Data(digest.bytes)]) else { return nil }
            let key = try Self.key(row)
            guard key.boundUser != nil else { return (key, nil) }
            let account = Account(
                user: try row.user(prefix: "u_"), identifiers: [:], passwordHash: nil,
                memberships: try Self.memberships(row, prefix: "u_"))
            return (key, account.user.status == .active ? account : nil)
        }
    }

    func key(_ id: String) async throws(StoreError) -> AccessKey? {
        try await database.read { db in
            try db.first("SELECT \(Self.all) FROM access_key WHERE id = ?", [id]).map(Self.key)
        }
    }

    func search(tenants: [String], user: UserID?, limit: Int, offset: Int) async throws(StoreError) -> [AccessKey] {
        let filter = JSONValue.array(tenants.map(JSONValue.string)).columnText
        return try await database.read { db in
            try db.all(Self.ofTenants, [user?.rawValue, filter, limit, offset]).map(Self.key)
        }
    }

    func change(
        _ id: String, by permission: borrowing Allowed<Acts.ChangeAccessKeys>, at now: UnixTime,
        _ rule: @escaping @Sendable (inout AccessKey) -> Void
    ) async throws(StoreError) -> AccessKey {
        try permission.grounds.requireProject(of: nil)
        return try await database.write(.serializable) { db in
            guard var key = try db.first("SELECT \(Self.all) FROM access_key WHERE id = ?", [id]).map(Self.key) else {
                throw StoreError(.missing)
            }
            rule(&key)
            key.updatedAt = now
            try Self.requireAll(key, db)
            try db.run(
                """
                UPDATE access_key SET name = ?, description = ?, is_active = ?, user_id = ?, roles = ?, tenants = ?,
                    claims = ?, attributes = ?, networks = ?, updated_at = ?, expires_at = ? WHERE id = ?
                """, Self.columns(key) + [now.rawValue, key.expiresAt?.rawValue, id])
            return key
        }
    }

    func rotate(
        _ id: String, to digest: SecretDigest, by permission: borrowing Allowed<Acts.ChangeAccessKeys>, at now: UnixTime
    ) async throws(StoreError) -> AccessKey {
        try permission.grounds.requireProject(of: nil)
        return try await database.write(.serializable) { db in
            let row = try db.first(
                "UPDATE access_key SET digest = ?, updated_at = ? WHERE id = ? RETURNING \(Self.all)",
                [Data(digest.bytes), now.rawValue, id])
            guard let row else { throw StoreError(.missing) }
            return try Self.key(row)
        }
    }

    func delete(_ id: String, by permission: borrowing Allowed<Acts.ChangeAccessKeys>) async throws(StoreError) -> Bool
    {
        try permission.grounds.requireProject(of: nil)
        return try await database.write(.serializable) { db in
            try db.run("DELETE FROM access_key WHERE id = ?", [id]) == 1
        }
    }

    /// A tenant of the same name is another one: the keys are not its.
    static func forget(tenant: String, _ db: SQLSession) throws {
        let filter = JSONValue.array([.string(tenant)]).columnText
        while true {
            let anyUser: String? = nil
            let keys = try db.all(ofTenants, [anyUser, filter, Limits.accessKeysOfPageMax, 0]).map(key)
            for var key in keys {
                key.memberships.tenants[tenant] = nil
                let tenants = key.memberships.tenants.mapValues { JSONValue.array($0.map(JSONValue.string)) }
                try db.run(
                    "UPDATE access_key SET tenants = ? WHERE id = ?", [JSONValue.object(tenants).columnText, key.id])
            }
            guard !keys.isEmpty else { return }
        }
    }

    private static func requireAll(_ key: AccessKey, _ db: SQLSession) throws {
        for tenant in key.memberships.tenants.keys { try SQLUserStore.requireTenant(tenant, db) }
        guard let user = key.boundUser else { return }
        guard try db.first("SELECT 1 FROM \"user\" WHERE id = ?", [user.rawValue]) != nil else {
            throw StoreError(.missing)
        }
    }

    /// The columns that can change, in the order of both statements.
    private static func columns(_ key: AccessKey) -> Values {
        let tenants = key.memberships.tenants.mapValues { JSONValue.array($0.map(JSONValue.string)) }
        return [
            key.name, key.description, key.isActive, key.boundUser?.rawValue, key.memberships.roles.columnText,
            JSONValue.object(tenants).columnText, JSONValue.object(key.customClaims).columnText,
            JSONValue.object(key.attributes).columnText, key.permittedNetworks.columnText,
        ]
    }

    private static func key(_ row: SQLRow) throws -> AccessKey {
        AccessKey(
            id: row["id"], name: row["name"], description: row["description"], isActive: row["is_active"],
            boundUser: (row["user_id"] as String?).map(UserID.init(rawValue:)),
            memberships: try memberships(row, prefix: ""), customClaims: try row.members("claims"),
            attributes: try row.members("attributes"), permittedNetworks: try row.list("networks"),
            createdBy: row["created_by"], createdAt: row.time("created_at"), updatedAt: row.time("updated_at"),
            expiresAt: row.optionalTime("expires_at"))
    }

    private static func memberships(_ row: SQLRow, prefix: String) throws -> Memberships {
        Memberships(
            roles: try row.list("\(prefix)roles"),
            tenants: try row.members("\(prefix)tenants").mapValues { $0.stringArrayValue ?? [] })
    }
}
