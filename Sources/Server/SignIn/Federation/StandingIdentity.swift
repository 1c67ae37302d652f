package import Model

/// What a provider's answer is worth that waited, on a page or as a code.
extension FederatedIdentityStore {
    /// Whether an identity still opens an account: the connection is on, and the user has not disconnected it since.
    ///
    /// - Parameters:
    ///   - key: of the identity; `nil`: an earlier release did not keep it.
    ///   - connection: `nil`: it is gone.
    package func opens(_ user: UserID, by key: FederatedIdentity.Key?, at connection: Connection?)
        async throws(StoreError) -> Bool
    {
        guard connection?.isEnabled == true else { return false }
        guard let key else { return true }
        return try await identity(key)?.userID == user
    }
}
