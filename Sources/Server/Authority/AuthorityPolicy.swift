/// What an operator may loosen of the rules, or tighten. Everything is strict unless the operator says otherwise.
public struct AuthorityPolicy: Hashable, Sendable {
    /// `methods.old_sessions_change_sign_in`: a session of the methods' wire changes how its user signs in, however long
    /// ago the user signed in. The account's own second factor is still asked for.
    public var oldSessionsChangeSignIn: Bool
    /// `methods.password_beside_second_factor`: on the methods' wire a single factor opens a session of a user who has a
    /// second one.
    public var passwordBesideSecondFactor: Bool
    /// `methods.merge_into_existing`: a client's merge flag keeps the account that has the address.
    public var mergeIntoExisting: Bool
    /// `methods.same_network_counts`: a link that is opened in the network that asked for it counts as opened by the
    /// user who asked.
    public var sameNetworkCounts: Bool
    /// `methods.unverified_contacts`: the methods' wire tells addresses that nobody has proved.
    public var unverifiedContacts: Bool
    /// `project.sign_up`: who may open an account.
    public var signUp: SignUpPolicy
    /// `project.second_factor`: whether every user needs one.
    public var secondFactor: SecondFactorPolicy
    /// `second_factor` of roles: the names of those whose holders need one.
    public var secondFactorRoles: Set<String>
    /// `second_factor` of tenants: the identifiers of those whose members need one.
    public var secondFactorTenants: Set<String>

    /// The strict rules.
    public init(
        oldSessionsChangeSignIn: Bool = false, passwordBesideSecondFactor: Bool = false,
        mergeIntoExisting: Bool = false, sameNetworkCounts: Bool = false, unverifiedContacts: Bool = false,
        signUp: SignUpPolicy = .open, secondFactor: SecondFactorPolicy = .optional,
        secondFactorRoles: Set<String> = [], secondFactorTenants: Set<String> = []
    ) {
        self.oldSessionsChangeSignIn = oldSessionsChangeSignIn
        self.passwordBesideSecondFactor = passwordBesideSecondFactor
        self.mergeIntoExisting = mergeIntoExisting
        self.sameNetworkCounts = sameNetworkCounts
        self.unverifiedContacts = unverifiedContacts
        self.signUp = signUp
        self.secondFactor = secondFactor
        self.secondFactorRoles = secondFactorRoles
        self.secondFactorTenants = secondFactorTenants
    }
}

/// Who may open an account without an operator.
public enum SignUpPolicy: Hashable, Sendable {
    /// Everybody.
    case open
    /// Users with a proved address in one of these domains, or in a domain that a tenant has proven. Lower case, ASCII.
    case domains(Set<String>)
    /// Users whom an operator has invited: nobody opens an account, and an invited user completes it.
    case invited
    /// Nobody, not even an invited user, and no organisation's provider.
    case off
}

/// Whether users need a second factor.
public enum SecondFactorPolicy: String, Hashable, Sendable, CaseIterable {
    /// A factor that an account has is asked for on every way in.
    case optional
    /// Every user sets one up before the first session begins.
    case required
}
