public import KeyturnBase
public import Model

/// Everything that the stores keep, as one value: copied, compared and hashed like a number.
public struct StoreWorld: Hashable, Sendable {
    // Users.
    public var users: [UserID: UserRow] = [:]
    /// The user of each identifier, which ``UserRow/identifiers`` has as well.
    public var identifierOwners: [Identifier: UserID] = [:]
    /// What identifiers and primary addresses users had, in the order in which they ceased to be that.
    public var formerIdentifiers: [UserID: [FormerIdentifier]] = [:]
    public var newAddresses: [UserID: [Identifier: NewAddressRow]] = [:]
    /// When an identity or a merge brought memberships, by tenant.
    public var broughtMemberships: [UserID: [String: UnixTime]] = [:]
    /// The tenants out of which users were taken, who have not come back.
    public var formerMemberships: [UserID: Set<String>] = [:]
    /// When users who were taken out came back by themselves, by tenant.
    public var returnedMembers: [UserID: [String: UnixTime]] = [:]
    public var consents: [ConsentKey: ConsentRow] = [:]
    public var consoleOperators: [UserID: ConsoleOperator] = [:]
    public var pastSignIns: [UserID: [PastSignInRow]] = [:]

    // Credentials.
    public var passwords: [UserID: PasswordRow] = [:]
    public var authenticators: [[UInt8]: AuthenticatorRow] = [:]
    public var recoveryCodes: [UserID: [SecretDigest: UnixTime]] = [:]
    public var recoveries: [UserID: RecoveryRow] = [:]
    public var passkeys: [PasskeyID: PasskeyRow] = [:]
    public var biometricKeys: [String: StoredBiometricKey] = [:]
    public var metadataNumbers: [String: Int64] = [:]
    public var codes: [CodeKey: CodeRow] = [:]
    public var codeTries: [TryKey: TryRow] = [:]
    public var links: [SecretDigest: LinkRow] = [:]
    public var pendingLinks: [SecretDigest: PendingLinkRow] = [:]

    // Sessions.
    public var sessions: [SessionID: SessionRow] = [:]
    public var grants: [GrantID: GrantRow] = [:]
    public var revokedTokens: [String: UnixTime] = [:]
    public var pushedRequests: [SecretDigest: PushedRequest] = [:]

    // The project.
    public var clients: [String: ClientRow] = [:]
    public var tenants: [String: Tenant] = [:]
    public var roles: [String: Role] = [:]
    public var permissions: [String: Permission] = [:]
    public var tenantDomains: [TenantDomainKey: TenantDomain] = [:]
    public var keys: [String: StoredKey] = [:]

    // Providers and directories.
    public var connections: [String: StoredConnection] = [:]
    public var identities: [FederatedIdentity.Key: FederatedIdentity] = [:]
    /// As they were when they were unlinked.
    public var unlinkedIdentities: [EndedIdentityKey: FederatedIdentity] = [:]
    /// Those of them that ended with their connection.
    public var endedIdentities: Set<EndedIdentityKey> = []
    public var federatedSessions: [SessionID: FederatedSessionRow] = [:]
    /// What was recorded of a session before another sign-in at a provider was.
    public var formerOrigins: [SessionID: [FederatedSessionRow]] = [:]
    public var federationStates: [SecretDigest: FederationStateRow] = [:]
    public var resources: [Int64: ResourceRow] = [:]
    public var members: Set<MemberRow> = []
    public var provisioningTokens: [SecretDigest: SCIMToken] = [:]

    // Limits and single use.
    public var rateLimits: [String: RateLimitRow] = [:]
    public var attempts: [String: AttemptRow] = [:]
    public var spent: [[UInt8]: SpentRow] = [:]

    // What is told.
    public var audit: [AuditEvent] = []
    public var messages: [MessageRow] = []
    public var logoutNotices: [LogoutNoticeRow] = []

    /// The number of the newest row that has one: users, resources and logout notices share it.
    public var lastNumber: Int64 = 0

    public init() {}
}

extension StoreWorld {
    /// The number of a new row.
    mutating func nextNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }
}
