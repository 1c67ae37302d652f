internal import Authority

/// Whether a session that has begun lets its user in elsewhere: in another app, on a device, at a request that waits.
///
/// What counts is the account of now: an authenticator, a role or a tenant may have come since the sign-in.
public struct SessionReuse: Sendable {
    private let users: any UserStore
    private let singleSignOn: SingleSignOn
    private let secondFactor: SecondFactorGate

    package init(users: any UserStore, singleSignOn: SingleSignOn, secondFactor: SecondFactorGate) {
        self.users = users
        self.singleSignOn = singleSignOn
        self.secondFactor = secondFactor
    }

    /// What a session lacks.
    public enum Lack: Hashable, Sendable {
        /// A factor that the account has, or that the project, a role or a tenant wants.
        case factor
        /// A sign-in at the provider of the user's organisation, or the account itself.
        case signIn
    }

    /// What the session of a user lacks; `nil`: nothing.
    ///
    /// - Parameter facts: how the user was authenticated in it.
    public func missing(_ user: UserID, _ facts: AuthenticationFacts) async throws(StoreError) -> Lack? {
        guard let account = try await users.account(user) else { return .signIn }
        if secondFactor.missing(account, facts, on: .page) != nil { return .factor }
        return try await singleSignOn.judge(user, facts, notes: false) == .allowed ? nil : .signIn
    }
}
