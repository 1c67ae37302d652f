/// To whom or to what something is done.
public enum Subject: Hashable, Sendable {
    /// A user with an account, as it was when it was read.
    case user(UserStanding)
    /// A user who has no account yet.
    case newUser
    /// A tenant, a key, messages: something of the project. `tenant`: whose it is, if it is a tenant's.
    case project(tenant: String?)
    /// A client.
    case client(String)
    /// A connection; `tenant`: whose it is, if it is a tenant's.
    case connection(String, tenant: String?)

    /// The user; `nil`: it is done to something else.
    public var user: UserStanding? {
        if case .user(let standing) = self { standing } else { nil }
    }
}

/// What decides how an account may be changed.
public struct UserStanding: Hashable, Sendable {
    /// The user's identifier.
    public var id: String
    /// Rises when sessions end or a credential changes.
    public var epoch: Int64
    /// The user's role in the console.
    public var consoleRole: ConsoleRole?
    /// Whether an authenticator app was set up.
    public var hasAuthenticator: Bool
    /// Whether there is a passkey that is switched on.
    public var hasPasskey: Bool
    /// Whether there is a password.
    public var hasPassword: Bool
    /// Whether a sign-in was disputed: password and factors may have gone with it.
    public var wasDisputed: Bool
    /// Whether there is a password or a proved address: a factor beside the strong ones.
    public var hasOtherFactor: Bool
    /// Whether an address of the account was proved.
    public var hasProvenAddress: Bool
    /// Whether there is a login ID that is an address and was never proved: it may be another person's.
    public var hasUnprovedAddress: Bool
    /// The tenants of which the user is a member.
    public var tenants: Set<String>
    /// The identifiers of the user's roles, of the project's and in tenants.
    public var roles: Set<String>
    /// Whether one of these roles lets the user act as others.
    public var actsAsOthers: Bool

    public init(
        id: String, epoch: Int64, consoleRole: ConsoleRole? = nil, hasAuthenticator: Bool = false,
        hasPasskey: Bool = false, hasPassword: Bool = false, wasDisputed: Bool = false, hasOtherFactor: Bool = true,
        hasProvenAddress: Bool = true,
        hasUnprovedAddress: Bool = false, tenants: Set<String> = [], roles: Set<String> = [],
        actsAsOthers: Bool = false
    ) {
        self.id = id
        self.epoch = epoch
        self.consoleRole = consoleRole
        self.hasAuthenticator = hasAuthenticator
        self.hasPasskey = hasPasskey
        self.hasPassword = hasPassword
        self.wasDisputed = wasDisputed
        self.hasOtherFactor = hasOtherFactor
        self.hasProvenAddress = hasProvenAddress
        self.hasUnprovedAddress = hasUnprovedAddress
        self.tenants = tenants
        self.roles = roles
        self.actsAsOthers = actsAsOthers
    }

    /// Whether there is a factor that is independent of password and mailbox.
    public var hasStrongFactor: Bool { hasAuthenticator || hasPasskey }

    /// Whether the account opens more than itself: by a role in the console, or by one that acts as others.
    public var reachesOthers: Bool { consoleRole != nil || actsAsOthers }
}
