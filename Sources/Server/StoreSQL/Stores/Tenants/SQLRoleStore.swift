internal import Authority
internal import KeyturnBase
internal import Model

/// Roles and permissions.
struct SQLRoleStore: RoleStore {
    let database: any SQLDatabase

    func roles(limit: Int) async throws(StoreError) -> [Role] {
        try await database.read { db in try Self.roles(db, limit: limit) }
    }

    func permissions(limit: Int) async throws(StoreError) -> [Permission] {
        try await database.read { db in
            try db.all("SELECT name, description FROM permission ORDER BY name LIMIT ?", [limit]).map {
                Permission(name: $0["name"], description: $0["description"])
            }
        }
    }

    func create(_ role: Role, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError) {
        try permission.grounds.requireProject(of: role.tenantID)
        try await database.write(.serializable) { db in
            if let tenant = role.tenantID { try SQLUserStore.requireTenant(tenant, db) }
            try db.run(
                """
                INSERT INTO role (id, tenant_id, name, description, permissions, is_default, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    role.id, role.tenantID, role.name, role.description, role.permissions.columnText, role.isDefault,
                    role.createdAt.rawValue,
                ])
        }
    }

    func update(_ role: Role, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError) {
        try permission.grounds.requireProject(of: role.tenantID)
        try await database.write(.serializable) { db in try Self.replace(role, db) }
    }

    func deleteRole(_ id: String, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError) -> Bool
    {
        let tenant = try permission.grounds.requireProject()
        return try await database.write(.serializable) { db in
            try db.run("DELETE FROM role WHERE id = ? AND tenant_id IS NOT DISTINCT FROM ?", [id, tenant]) == 1
        }
    }

    func create(_ new: Permission, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError) {
        try permission.grounds.requireProject(of: nil)
        _ = try await database.write(.serializable) { db in
            try db.run(
                "INSERT INTO permission (name, description) VALUES (?, ?)", [new.name, new.description])
        }
    }

    func update(
        permission name: String, to new: Permission, by permission: borrowing Allowed<Acts.ChangeTenants>
    ) async throws(StoreError) {
        try permission.grounds.requireProject(of: nil)
        try await database.write(.serializable) { db in
            let changed = try db.run(
                "UPDATE permission SET name = ?, description = ? WHERE name = ?",
                [new.name, new.description, name])
            guard changed == 1 else { throw StoreError(.missing) }
            guard name != new.name else { return }
            try Self.rewrite(db) { $0 == name ? new.name : $0 }
        }
    }

    func deletePermission(_ name: String, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError)
        -> Bool
    {
        try permission.grounds.requireProject(of: nil)
        return try await database.write(.serializable) { db in
            let changed = try db.run("DELETE FROM permission WHERE name = ?", [name])
            guard changed == 1 else { return false }
            try Self.rewrite(db) { $0 == name ? nil : $0 }
            return true
        }
    }

    private static func roles(_ db: SQLSession, limit: Int) throws -> [Role] {
        try db.all(
            """
            SELECT id, tenant_id, name, description, permissions, is_default, created_at FROM role
            ORDER BY name, id LIMIT ?
            """, [limit]
        ).map { row in
            Role(
                id: row["id"], tenantID: row["tenant_id"], name: row["name"], description: row["description"],
                permissions: try row.list("permissions"), isDefault: row["is_default"],
                createdAt: row.time("created_at"))
        }
    }

    private static func replace(_ role: Role, _ db: SQLSession) throws {
        let changed = try db.run(
            """
            UPDATE role SET name = ?, description = ?, permissions = ?, is_default = ?
            WHERE id = ? AND tenant_id IS NOT DISTINCT FROM ?
            """,
            [role.name, role.description, role.permissions.columnText, role.isDefault, role.id, role.tenantID])
        guard changed == 1 else { throw StoreError(.missing) }
    }

    /// Rewrites every role: there are few.
    private static func rewrite(_ db: SQLSession, _ rename: (String) -> String?) throws {
        for var role in try roles(db, limit: Limits.rolesMax) {
            let permissions = role.permissions.compactMap(rename)
            guard permissions != role.permissions else { continue }
            role.permissions = permissions
            try replace(role, db)
        }
    }
}
