/// Every store of one database.
public struct Stores: Sendable {
    /// Whether other servers may use the database at the same time: what one of them must know of another is there.
    public let isShared: Bool
    public let users: any UserStore
    public let tenants: any TenantStore
    public let roles: any RoleStore
    public let accessKeys: any AccessKeyStore
    public let sessions: any SessionStore
    public let grants: any GrantStore
    public let consents: any ConsentStore
    public let clients: any ClientStore
    public let keys: any KeyStore
    public let revokedTokens: any RevokedTokenStore
    public let attempts: any AttemptStore
    public let audit: any AuditStore
    public let auditStreams: any AuditStreamStore
    public let signalStreams: any SignalStreamStore
    public let messages: any MessageStore
    public let logoutNotices: any LogoutNoticeStore
    public let pingNotices: any PingNoticeStore
    public let codes: any OneTimeCodeStore
    public let links: any LinkStore
    public let authenticators: any TOTPStore
    public let recoveryCodes: any RecoveryCodeStore
    public let recoveries: any RecoveryStore
    public let risks: any RiskStore
    public let passkeys: any PasskeyStore
    public let spent: any ReplayStore
    public let pushedRequests: any PushedRequestStore
    public let passwords: any PasswordStore
    public let rateLimits: any RateLimitStore
    public let devices: any DeviceStore
    public let backchannel: any BackchannelStore
    public let biometrics: any BiometricStore
    public let anonymous: any AnonymousStore
    public let dataKeys: any KeyServiceStore
    public let connections: any ConnectionStore
    public let identities: any FederatedIdentityStore
    public let federation: any FederationStateStore
    public let providerTokens: any ProviderTokenStore
    public let provisioned: any SCIMResourceStore
    public let provisionedUsers: any SCIMUserStore
    public let provisionedGroups: any SCIMGroupStore
    public let provisioningTokens: any SCIMTokenStore
    public let tenantDomains: any TenantDomainStore
    public let consoleOperators: any ConsoleOperatorStore
    public let maintenance: any MaintenanceStore

    public init(
        isShared: Bool, users: any UserStore, tenants: any TenantStore, roles: any RoleStore,
        accessKeys: any AccessKeyStore,
        sessions: any SessionStore, grants: any GrantStore, consents: any ConsentStore,
        clients: any ClientStore, keys: any KeyStore, revokedTokens: any RevokedTokenStore,
        attempts: any AttemptStore, audit: any AuditStore, auditStreams: any AuditStreamStore,
        signalStreams: any SignalStreamStore, messages: any MessageStore,
        logoutNotices: any LogoutNoticeStore, pingNotices: any PingNoticeStore,
        codes: any OneTimeCodeStore, links: any LinkStore, authenticators: any TOTPStore,
        recoveryCodes: any RecoveryCodeStore, recoveries: any RecoveryStore, risks: any RiskStore,
        passkeys: any PasskeyStore,
        spent: any ReplayStore,
        pushedRequests: any PushedRequestStore, passwords: any PasswordStore, rateLimits: any RateLimitStore,
        devices: any DeviceStore, backchannel: any BackchannelStore, dataKeys: any KeyServiceStore,
        biometrics: any BiometricStore, anonymous: any AnonymousStore,
        connections: any ConnectionStore, identities: any FederatedIdentityStore,
        federation: any FederationStateStore, provisioned: any SCIMResourceStore,
        provisionedUsers: any SCIMUserStore, provisionedGroups: any SCIMGroupStore,
        provisioningTokens: any SCIMTokenStore, tenantDomains: any TenantDomainStore,
        providerTokens: any ProviderTokenStore, consoleOperators: any ConsoleOperatorStore,
        maintenance: any MaintenanceStore
    ) {
        self.isShared = isShared
        self.users = users
        self.tenants = tenants
        self.roles = roles
        self.accessKeys = accessKeys
        self.sessions = sessions
        self.grants = grants
        self.consents = consents
        self.clients = clients
        self.keys = keys
        self.revokedTokens = revokedTokens
        self.attempts = attempts
        self.audit = audit
        self.auditStreams = auditStreams
        self.signalStreams = signalStreams
        self.messages = messages
        self.logoutNotices = logoutNotices
        self.pingNotices = pingNotices
        self.codes = codes
        self.links = links
        self.authenticators = authenticators
        self.recoveryCodes = recoveryCodes
        self.recoveries = recoveries
        self.risks = risks
        self.passkeys = passkeys
        self.spent = spent
        self.pushedRequests = pushedRequests
        self.passwords = passwords
        self.rateLimits = rateLimits
        self.devices = devices
        self.backchannel = backchannel
        self.biometrics = biometrics
        self.anonymous = anonymous
        self.dataKeys = dataKeys
        self.connections = connections
        self.identities = identities
        self.federation = federation
        self.providerTokens = providerTokens
        self.provisioned = provisioned
        self.provisionedUsers = provisionedUsers
        self.provisionedGroups = provisionedGroups
        self.provisioningTokens = provisioningTokens
        self.tenantDomains = tenantDomains
        self.consoleOperators = consoleOperators
        self.maintenance = maintenance
    }
}
