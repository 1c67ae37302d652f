public import Model
internal import SignIn

extension IdentityServices {
    /// Whether a user needs a second factor before a session begins, also without having set one up.
    public func needsSecondFactor(_ user: UserID) async throws(StoreError) -> Bool {
        guard secondFactor.canBeRequired, let account = try await stores.users.account(user) else { return false }
        return secondFactor.isRequired(for: account)
    }
}
