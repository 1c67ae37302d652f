/// Who wants to do something.
public enum Caller: Hashable, Sendable {
    /// A request without a session.
    case anonymous
    /// The user's own session, or the sign-in that is about to become one.
    case session(SessionStanding)
    /// A user who has lost the second factor, after both other proofs and the delay.
    case recovery
    /// A user with a role in the console: there, or with an access token at the management interface.
    case `operator`(OperatorStanding)
    /// The holder of one of the project's management keys.
    case managementKey
    /// A tenant's directory, by its provisioning token.
    case directory(tenant: String)
    /// The word of an identity provider; `tenant`: whose connection it is, `nil`: of the whole project.
    case provider(tenant: String?)
    /// What happens on the machine itself.
    case machine(Machine)

    /// What runs on the machine, with the rights of an owner.
    public enum Machine: String, Hashable, Sendable, CaseIterable {
        /// The configuration file, at a start.
        case configuration
        /// A command on the database.
        case command
        /// An import, a copy of a database, or a project that is taken in.
        case transfer
        /// What the server itself does by its clock: clean-up, expiry.
        case upkeep
    }

    /// The kinds of callers, for the table of rules.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case anonymous, session, recovery, `operator`, managementKey, directory, provider, machine
    }

    public var kind: Kind {
        switch self {
        case .anonymous: .anonymous
        case .session: .session
        case .recovery: .recovery
        case .operator: .operator
        case .managementKey: .managementKey
        case .directory: .directory
        case .provider: .provider
        case .machine: .machine
        }
    }
}

/// What a user's own session is worth.
public struct SessionStanding: Hashable, Sendable {
    /// By which way in the session is shown.
    public enum Way: String, Hashable, Sendable, CaseIterable {
        /// A page of this server.
        case page
        /// An app, by its access token or by a session that it opened.
        case app
        /// A refresh token of the methods' wire.
        case wire
    }

    public var way: Way
    /// Whether the user signed in within `Limits.sensitiveSeconds`.
    public var isRecent: Bool
    /// Whether a factor was used that is independent of password and mailbox.
    public var usedStrongFactor: Bool
    /// Whether two different factors were used.
    public var usedSeveralFactors: Bool
    /// Whether another user acts in this session.
    public var isImpersonated: Bool
    /// Whether an approval on another device alone opened it: the user may have approved an attacker's request.
    public var isOfApproval: Bool
    /// Whether nothing but a provider's word opened it.
    public var isOfProvider: Bool

    public init(
        _ way: Way, isRecent: Bool, usedStrongFactor: Bool, usedSeveralFactors: Bool, isImpersonated: Bool = false,
        isOfApproval: Bool = false, isOfProvider: Bool = false
    ) {
        self.way = way
        self.isRecent = isRecent
        self.usedStrongFactor = usedStrongFactor
        self.usedSeveralFactors = usedSeveralFactors
        self.isImpersonated = isImpersonated
        self.isOfApproval = isOfApproval
        self.isOfProvider = isOfProvider
    }
}

/// What an operator's sign-in is worth. Only the checks of the console and of the management interface make one: they
/// have asked for several factors.
public struct OperatorStanding: Hashable, Sendable {
    /// The operator's user.
    public var user: String
    public var role: ConsoleRole
    /// Whether the operator signed in within `Limits.sensitiveSeconds`.
    public var isRecent: Bool
    /// The roles whose holders act as other users, an owner too.
    public var actingRoles: Set<String>

    public init(user: String, role: ConsoleRole, isRecent: Bool, actingRoles: Set<String>) {
        self.user = user
        self.role = role
        self.isRecent = isRecent
        self.actingRoles = actingRoles
    }
}
