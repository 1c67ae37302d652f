public import Authority

/// Roles and permissions. The server reads all of them into a snapshot; a store is asked only when something changed.
/// What writes takes the permission for the tenant whose role it is, or for the project; permissions are the project's.
public protocol RoleStore: Sendable {
    /// Every role, at most `limit`, ordered by name.
    func roles(limit: Int) async throws(StoreError) -> [Role]

    /// Every permission, at most `limit`, ordered by name.
    func permissions(limit: Int) async throws(StoreError) -> [Permission]

    /// Adds a role.
    ///
    /// - Throws: `conflict` if the tenant, or the project, has a role of this name; `missing` if there is no such
    ///   tenant.
    func create(_ role: Role, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError)

    /// Replaces the role with this identifier.
    ///
    /// - Throws: `missing` if there is none; `conflict` if another one has the name.
    func update(_ role: Role, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError)

    /// Removes a role, also from its users.
    ///
    /// - Returns: whether there was such a role.
    func deleteRole(_ id: String, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError)
        -> Bool

    /// Adds a permission.
    ///
    /// - Throws: `conflict` if there is one of this name.
    func create(_ new: Permission, by permission: borrowing Allowed<Acts.ChangeTenants>)
        async throws(StoreError)

    /// Renames and describes a permission, in every role that has it, in one transaction.
    ///
    /// - Throws: `missing` if there is none of this name; `conflict` if there is one of the new name.
    func update(
        permission name: String, to new: Permission, by permission: borrowing Allowed<Acts.ChangeTenants>
    ) async throws(StoreError)

    /// Removes a permission, and takes it out of every role, in one transaction.
    ///
    /// - Returns: whether there was such a permission.
    func deletePermission(_ name: String, by permission: borrowing Allowed<Acts.ChangeTenants>)
        async throws(StoreError) -> Bool
}
