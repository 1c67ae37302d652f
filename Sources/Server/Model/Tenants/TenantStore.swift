public import Authority
public import KeyturnBase

/// Tenants. The server reads all of them into a snapshot; a store is asked only when something changed.
/// What writes takes the permission for this tenant.
public protocol TenantStore: Sendable {
    /// Every tenant, at most `limit`, ordered by identifier.
    func all(limit: Int) async throws(StoreError) -> [Tenant]

    /// Adds a tenant.
    ///
    /// - Throws: `conflict` if there is one with this identifier.
    func create(_ tenant: Tenant, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError)

    /// Replaces a tenant.
    ///
    /// - Throws: `missing` if there is none with this identifier.
    func update(_ tenant: Tenant, by permission: borrowing Allowed<Acts.ChangeTenants>) async throws(StoreError)

    /// Removes the permission's tenant with its roles and memberships, those of access keys too, in one transaction.
    /// What it vouched for ends: another tenant may get its name. Its users stay, and so do their other sessions, for
    /// which it is not selected any more. Tokens follow the memberships, so that new ones no longer name the tenant.
    ///
    /// - Returns: whether there was such a tenant.
    func delete(by permission: borrowing Allowed<Acts.ChangeTenants>, at now: UnixTime)
        async throws(StoreError) -> Bool
}
