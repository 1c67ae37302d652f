internal import Authority
internal import KeyturnBase
internal import Model

/// Roles and permissions.
struct ValueRoleStore: RoleStore {
    let database: ValueDatabase

    func roles(limit: Int) throws(StoreError) -> [Role] {
        try database.read { world in
            Array(world.roles.values.sorted { ($0.name, $0.id) < ($1.name, $1.id) }.prefix(limit))
        }
    }

    func permissions(limit: Int) throws(StoreError) -> [Permission] {
        try database.read { world in Array(world.permissions.values.sorted { $0.name < $1.name }.prefix(limit)) }
    }

    func create(_ role: Role, by permission: borrowing Allowed<Acts.ChangeTenants>) throws(StoreError) {
        try permission.grounds.requireProject(of: role.tenantID)
        try database.write { world in
            if let tenant = role.tenantID { try world.requireTenant(tenant) }
            guard world.roles[role.id] == nil, world.isFree(role) else { throw StoreError(.conflict) }
            world.roles[role.id] = role
        }
    }

    func update(_ role: Role, by permission: borrowing Allowed<Acts.ChangeTenants>) throws(StoreError) {
        try permission.grounds.requireProject(of: role.tenantID)
        try database.write { world in
            guard let old = world.roles[role.id], old.tenantID == role.tenantID else { throw StoreError(.missing) }
            let changed = Role(
                id: old.id, tenantID: old.tenantID, name: role.name, description: role.description,
                permissions: role.permissions, isDefault: role.isDefault, createdAt: old.createdAt)
            guard world.isFree(changed) else { throw StoreError(.conflict) }
            world.roles[role.id] = changed
        }
    }

    func deleteRole(_ id: String, by permission: borrowing Allowed<Acts.ChangeTenants>) throws(StoreError) -> Bool {
        let tenant = try permission.grounds.requireProject()
        return try database.write { world in
            guard world.roles[id]?.tenantID == tenant else { return false }
            return world.removeRole(id)
        }
    }

    func create(_ new: Permission, by permission: borrowing Allowed<Acts.ChangeTenants>) throws(StoreError) {
        try permission.grounds.requireProject(of: nil)
        try database.write { world in
            guard world.permissions[new.name] == nil else { throw StoreError(.conflict) }
            world.permissions[new.name] = new
        }
    }

    func update(
        permission name: String, to new: Permission, by permission: borrowing Allowed<Acts.ChangeTenants>
    ) throws(StoreError) {
        try permission.grounds.requireProject(of: nil)
        try database.write { world in
            guard world.permissions.removeValue(forKey: name) != nil else { throw StoreError(.missing) }
            guard world.permissions[new.name] == nil else { throw StoreError(.conflict) }
            world.permissions[new.name] = new
            world.renamePermissions { $0 == name ? new.name : $0 }
        }
    }

    func deletePermission(_ name: String, by permission: borrowing Allowed<Acts.ChangeTenants>) throws(StoreError)
        -> Bool
    {
        try permission.grounds.requireProject(of: nil)
        return try database.write { world in
            guard world.permissions.removeValue(forKey: name) != nil else { return false }
            world.renamePermissions { $0 == name ? nil : $0 }
            return true
        }
    }
}

extension StoreWorld {
    /// Whether no other role of the tenant, or the project, has the name.
    fileprivate func isFree(_ role: Role) -> Bool {
        !roles.values.contains { $0.id != role.id && $0.name == role.name && $0.tenantID == role.tenantID }
    }

    fileprivate mutating func renamePermissions(_ rename: (String) -> String?) {
        for (id, role) in roles { roles[id]?.permissions = role.permissions.compactMap(rename) }
    }

    /// Users keep its identifier, which gives nothing any more.
    ///
    /// - Returns: whether there was such a role.
    @discardableResult
    mutating func removeRole(_ id: String) -> Bool {
        guard roles.removeValue(forKey: id) != nil else { return false }
        for (number, row) in resources where row.roleID == id { resources[number]?.roleID = nil }
        return true
    }
}
