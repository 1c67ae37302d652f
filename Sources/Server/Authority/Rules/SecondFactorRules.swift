public import KeyturnWire

/// What a sign-in showed, and what the account has: by both it is known whether a session may begin.
public struct FactorStanding: Hashable, Sendable {
    /// Whether an authenticator app was set up.
    public var hasAuthenticator: Bool
    /// Whether there is a passkey that is switched on.
    public var hasPasskey: Bool
    /// Whether there is a password or a proved address: a factor beside the strong ones.
    public var hasOtherFactor: Bool
    /// Whether two different factors were used, or a passkey that verified its user.
    public var usedSeveral: Bool
    /// Whether a code of the authenticator app was used.
    public var usedAuthenticator: Bool
    /// Whether a passkey was used.
    public var usedPasskey: Bool
    /// The names of the user's roles, in whichever tenant.
    public var roles: Set<String>
    /// The identifiers of the user's tenants.
    public var tenants: Set<String>

    public init(
        hasAuthenticator: Bool, hasPasskey: Bool, hasOtherFactor: Bool, usedSeveral: Bool, usedAuthenticator: Bool,
        usedPasskey: Bool, roles: Set<String> = [], tenants: Set<String> = []
    ) {
        self.hasAuthenticator = hasAuthenticator
        self.hasPasskey = hasPasskey
        self.hasOtherFactor = hasOtherFactor
        self.usedSeveral = usedSeveral
        self.usedAuthenticator = usedAuthenticator
        self.usedPasskey = usedPasskey
        self.roles = roles
        self.tenants = tenants
    }
}

/// Whether a session may begin: `project.second_factor`, and that of roles and tenants. Pure; every way in asks here.
public struct SecondFactorRules: Hashable, Sendable {
    private let policy: AuthorityPolicy

    public init(_ policy: AuthorityPolicy) {
        self.policy = policy
    }

    /// Whether the user needs a second factor in any case.
    public func isRequired(roles: some Sequence<String>, tenants: some Sequence<String>) -> Bool {
        policy.secondFactor == .required || roles.contains(where: policy.secondFactorRoles.contains)
            || tenants.contains(where: policy.secondFactorTenants.contains)
    }

    /// Whether ``isRequired(roles:tenants:)`` can be true of a user at all.
    public var canBeRequired: Bool {
        policy.secondFactor == .required || !policy.secondFactorRoles.isEmpty || !policy.secondFactorTenants.isEmpty
    }

    /// What is missing before a session may begin.
    ///
    /// - Parameter way: by which it would begin.
    /// - Returns: `nil`: nothing.
    public func missing(_ standing: FactorStanding, on way: SessionStanding.Way) -> MissingStep? {
        if standing.usedSeveral { return nil }
        if isRequired(roles: standing.roles, tenants: standing.tenants) {
            let hasAnother =
                standing.hasAuthenticator && !standing.usedAuthenticator
                || standing.hasPasskey && !standing.usedPasskey
                || standing.hasOtherFactor && (standing.usedAuthenticator || standing.usedPasskey)
            return hasAnother ? .secondFactor : .secondFactorSetup
        }
        let isSpared = way == .wire && policy.passwordBesideSecondFactor
        return standing.hasAuthenticator && !standing.usedAuthenticator && !isSpared ? .secondFactor : nil
    }
}
