package import Model

extension Connection {
    /// Whether the provider's word stands for a second factor, by the operator's word about its classes and methods. Never
    /// for a user with a role in the console: who configures a connection would be who opens the console.
    package func vouchesForTwoFactors(_ profile: FederatedProfile, of account: Account) -> Bool {
        let contexts = Set(profile.methods + [profile.context].compactMap(\.self))
        return account.consoleRole == nil && !contexts.isDisjoint(with: strongContexts)
    }
}
