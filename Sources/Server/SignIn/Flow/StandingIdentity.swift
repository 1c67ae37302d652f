package import KeyturnBase
package import Model

/// What a provider's answer is worth that waited, on a page or as a code.
extension FederatedIdentityStore {
    /// Whether an identity still opens an account: the connection is on, the user has not disconnected it since, the
    /// user was not taken out of the tenant, and the provider has not signed the user out.
    ///
    /// - Parameters:
    ///   - key: of the identity; `nil`: an earlier release did not keep it.
    ///   - since: when the provider's answer came; `nil`: sign-outs there are not asked for.
    ///   - connection: `nil`: it is gone.
    package func opens(
        _ user: UserID, by key: FederatedIdentity.Key?, since: UnixTime? = nil, at connection: Connection?
    ) async throws(StoreError) -> Bool {
        guard connection?.isEnabled == true else { return false }
        guard let key else { return true }
        guard let identity = try await identity(key), identity.userID == user else { return false }
        if let tenant = connection?.tenantID, try await formerTenants(of: user).contains(tenant) { return false }
        guard let since, let signedOutAt = identity.signedOutAt else { return true }
        return since > signedOutAt
    }
}
