public import Authority

extension Grounds {
    /// - Parameter tenant: `nil`: the whole project.
    /// - Throws: ``StoreError``, `forbidden`, if the permission is for something else than this tenant's.
    public func requireProject(of tenant: String?) throws(StoreError) {
        guard isForProject, self.tenant == tenant else { throw StoreError(.forbidden) }
    }

    /// - Returns: the tenant that the permission concerns.
    /// - Throws: ``StoreError``, `forbidden`, if it is not for a tenant.
    public func requireTenant() throws(StoreError) -> String {
        guard isForProject, let tenant else { throw StoreError(.forbidden) }
        return tenant
    }

    /// - Returns: the tenant that the permission concerns; `nil`: the whole project.
    /// - Throws: ``StoreError``, `forbidden`, if it concerns neither.
    public func requireProject() throws(StoreError) -> String? {
        guard isForProject else { throw StoreError(.forbidden) }
        return tenant
    }
}
