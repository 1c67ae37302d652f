public import Account
public import KeyturnBase
internal import KeyturnJose
public import Model
public import OAuth
public import SCIM
public import SignIn
public import Telemetry

/// The services of one project, wired together: everything of a server but the store and the network.
///
/// A class, because every route holds it, and a copy as a value takes 147 KB.
public final class IdentityServices: Sendable {
    public let project: Project
    /// The operator's settings for codes, links and passwords.
    public let methodSettings: MethodSettings
    public let stores: Stores
    public let clients: ClientDirectory
    public let clientAuthenticator: ClientAuthenticator
    public let keys: KeyRing
    public let accessTokens: AccessTokenReader
    public let authorization: AuthorizationEndpoint
    public let pushedRequests: PushedRequestEndpoint
    /// Clients that register themselves; `nil`: not permitted.
    public let registrar: ClientRegistrar?
    public let tokens: TokenEndpoint
    public let inspector: TokenInspector
    /// Devices without a keyboard.
    public let devices: DeviceAuthorizations
    public let backchannel: BackchannelAuthentications
    public let passwords: Passwords
    public let directory: AccessDirectory
    public let connections: ConnectionDirectory
    /// Users and groups that tenants' directories manage.
    public let provisioning: SCIMService
    /// From what a provider said to a user.
    public let federation: FederatedSignIn
    /// Passwords that are checked at directories.
    public let directories: DirectoryPasswords
    /// Whether users of directories are still there.
    public let directoryRounds: DirectoryRounds
    public let providerTokens: ProviderTokenKeeper
    /// The account that a token gives access to.
    public let userAccess: UserAccess
    public let sessions: DescopeSessions
    public let accessKeys: AccessKeys
    public let managedUsers: ManagedUsers
    public let managedUserAccess: ManagedUserAccess
    public let managedAccess: ManagedAccess
    public let managedKeys: ManagedKeys
    public let managedOperators: ManagedOperators
    public let managedSCIMTokens: ManagedSCIMTokens
    public let managedClients: ManagedClients
    public let managedSigningKeys: ManagedSigningKeys
    public let managedMessages: ManagedMessages
    public let signIn: SignIn
    public let endSession: EndSession
    /// Notifies relying parties of ended sessions.
    public let logoutNotices: LogoutNotices
    /// Notifies clients in ping mode of decisions.
    public let pingNotices: PingNotices
    public let transactions: TransactionSeal
    public let dpop: DPoPChecker
    /// Challenges that make the signed requests of devices fresh.
    public let challenges: ChallengeCodec
    /// Anonymous users who get an account.
    public let anonymousPromotions: AnonymousPromotions
    /// The queue of messages to users.
    public let messages: MessageQueue
    /// Notifies users of changes to their accounts.
    public let notices: SecurityNotices
    public let methods: SignInMethods
    /// Passkeys of sites that keep their own users.
    public let sitePasskeys: SitePasskeys
    /// Recovery for users who lost the second factor.
    public let recovery: FactorRecovery
    /// What is unusual about sign-ins.
    public let risks: SignInRisks
    public let appSessions: AppSessions
    /// Tokens with which apps take their sessions into a browser.
    public let appSessionTokens: AppSessionTokens
    /// What users change about their own accounts.
    public let settings: AccountSettings
    /// Data keys for devices; `nil`: there is no key service.
    public let keyService: KeyService?
    public let auditLog: BufferedAuditLog
    /// Tells receivers of shared signals about users.
    public let securityEvents: SecurityEventTokens
    /// The streams that such receivers registered.
    public let signalStreams: SignalStreams
    /// Signs the audit log's end.
    let auditKey: ServerSecrets.Key
    /// Whether the server should get requests.
    public let readiness: Readiness
    /// Operators try connections.
    public let trials: ConnectionTrials
    /// Asks services of the operator during a journey.
    public let journeyCalls: any JourneyCaller
    /// Whether users may sign in elsewhere than at their organisation.
    public let singleSignOn: SingleSignOn
    public let refreshReports: RefreshReports
    /// Who needs a second factor in any case.
    let secondFactor: SecondFactorGate
    public let ambient: Ambient

    /// - Parameters:
    ///   - hashing: the threads for passwords; shared by all projects of a process.
    ///   - keyHashing: the threads for the secrets of data keys: a separate queue, so that password checks do not wait
    ///     behind them.
    ///   - relyingParties: of the sites that keep their passkeys here, beside this server's own pages.
    ///   - migration: other issuers whose tokens are exchanged for sessions.
    ///   - keyClient: fetches the keys of clients that registered a `jwks_uri`.
    ///   - registration: whether clients may register themselves, and which; `nil`: they may not.
    ///   - keyService: the settings of the key service; `nil`: there is none.
    ///   - connections: to identity providers, of the configuration file.
    ///   - passwordDirectory: asks the directories of connections about passwords; `nil`: none is asked.
    ///   - metrics: what the rules count.
    ///   - onUnusualRefresh: called for each refresh that the current token does not explain.
    public init(
        project: Project, stores: Stores, secrets: ServerSecrets, hashing: HashingPool, keyHashing: HashingPool,
        passwordParameters: Argon2Parameters = .standard, methodSettings: MethodSettings = MethodSettings(),
        relyingParties: [RelyingParty] = [],
        migration: [MigrationSource] = [], keyClient: any RemoteJWKSClient = NoRemoteJWKS(),
        registration: RegistrationSettings? = nil, keyService: KeyServiceSettings? = KeyServiceSettings(),
        connections: [Connection] = [], passwordDirectory: (any PasswordDirectory)? = nil,
        journeyCalls: any JourneyCaller = NoJourneyCaller(), metrics: ServiceMetrics = ServiceMetrics(),
        signingKeys: (any SigningKeyProvider)? = nil, ambient: Ambient,
        onUnusualRefresh: @escaping @Sendable (AuditEvent) -> Void = { _ in }
    ) {
        var project = project
        project.realms = keyService
        metrics.prepareSignIns()
        let audit = BufferedAuditLog(store: stores.audit, now: ambient.now) { metrics.count($0) }
        let clients = ClientDirectory(
            store: stores.clients, isShared: stores.isShared, keyClient: keyClient, registration: registration)
        let tokenSecondsMax = max(project.accessTokenSeconds, Limits.idTokenSeconds, project.idleSeconds)
        let keys = KeyRing(
            store: stores.keys, secrets: secrets, tokenSecondsMax: tokenSecondsMax, provider: signingKeys,
            ambient: ambient)
        let issuer = TokenIssuer(project: project, keys: keys, secrets: secrets, ambient: ambient)
        let accessTokens = AccessTokenReader(issuer: project.issuer, keys: keys)
        let hints = IDTokenHintReader(issuer: project.issuer, keys: keys, ambient: ambient)
        self.project = project
        self.journeyCalls = journeyCalls
        self.methodSettings = methodSettings
        self.stores = stores
        self.clients = clients
        clientAuthenticator = ClientAuthenticator(
            project: project, clients: clients, spent: stores.spent, audit: audit, ambient: ambient)
        self.keys = keys
        self.accessTokens = accessTokens
        let directory = AccessDirectory(tenants: stores.tenants, roles: stores.roles)
        self.directory = directory
        let connected = ConnectionDirectory(
            configured: connections, store: stores.connections, seal: ConnectionSeal(secrets, ambient: ambient))
        self.connections = connected
        let singleSignOn = SingleSignOn(
            stores: stores, directory: directory, connections: connected, audit: audit, ambient: ambient)
        self.singleSignOn = singleSignOn
        secondFactor = SecondFactorGate(project.authority, directory: directory)
        let reuse = SessionReuse(users: stores.users, singleSignOn: singleSignOn, secondFactor: secondFactor)
        let challenges = ChallengeCodec(secrets, ambient: ambient)
        self.challenges = challenges
        let promotions = AnonymousPromotions(
            stores: stores, challenges: challenges, secrets: secrets, ambient: ambient)
        anonymousPromotions = promotions
        authorization = AuthorizationEndpoint(
            project: project, clients: clients, hints: hints, stores: stores, singleSignOn: singleSignOn,
            reuse: reuse, promotions: promotions, audit: audit, ambient: ambient)
        let proofs = DPoPChecker(
            secrets: secrets, shared: stores.isShared ? stores.spent : nil, ambient: ambient)
        dpop = proofs
        devices = DeviceAuthorizations(
            project: project, stores: stores, clients: clients, secrets: secrets, proofs: proofs,
            reuse: reuse, audit: audit, ambient: ambient)
        pushedRequests = PushedRequestEndpoint(
            authorization: authorization, proofs: proofs, stores: stores, ambient: ambient)
        registrar = registration.map {
            ClientRegistrar(
                settings: $0, project: project, clients: clients, stores: stores, audit: audit, ambient: ambient)
        }
        logoutNotices = LogoutNotices(store: stores.logoutNotices, clients: clients, issuer: issuer)
        inspector = TokenInspector(
            stores: stores, issuer: issuer, accessTokens: accessTokens, clients: clients, notices: logoutNotices,
            audit: audit, ambient: ambient)
        messages = MessageQueue(store: stores.messages, secrets: secrets, ambient: ambient)
        let notices = SecurityNotices(
            project: project, stores: stores, sender: messages, audit: audit, ambient: ambient)
        self.notices = notices
        let domains = TenantDomains(connections: connected, store: stores.tenantDomains)
        let risks = SignInRisks(
            project: project, stores: stores, secrets: secrets, domains: domains, notices: notices, audit: audit,
            ambient: ambient)
        self.risks = risks
        pingNotices = PingNotices(store: stores.pingNotices, clients: clients, secrets: secrets, ambient: ambient)
        backchannel = BackchannelAuthentications(
            project: project, stores: stores, clients: clients, hints: hints, proofs: proofs, pings: pingNotices,
            reuse: reuse, notices: notices, audit: audit, ambient: ambient)
        provisioning = SCIMService(
            issuer: project.issuer, stores: stores, connections: connected, directory: directory, domains: domains,
            secrets: secrets, notices: notices, audit: audit, ambient: ambient)
        federation = FederatedSignIn(
            stores: stores, directory: directory, secrets: secrets,
            domains: domains, rulebook: project.rulebook, notices: notices, audit: audit, ambient: ambient)
        let directories = DirectoryPasswords(
            stores: stores, connections: connected, federation: federation, directory: passwordDirectory, audit: audit,
            ambient: ambient)
        self.directories = directories
        trials = ConnectionTrials(
            stores: stores, secrets: secrets, domains: domains, directory: directory, ambient: ambient)
        directoryRounds = DirectoryRounds(
            stores: stores, connections: connected, directory: passwordDirectory, audit: audit, ambient: ambient)
        providerTokens = ProviderTokenKeeper(stores: stores, secrets: secrets, audit: audit, ambient: ambient)
        transactions = TransactionSeal(secrets, ambient: ambient)
        let reports = RefreshReports(
            audit: audit, notices: notices, clients: clients, metrics: metrics, onEvent: onUnusualRefresh)
        refreshReports = reports
        tokens = TokenEndpoint(
            stores: stores, issuer: issuer, clients: clients, directory: directory, inspector: inspector,
            hints: hints, proofs: proofs, challenges: challenges, reports: reports, notices: notices,
            risks: risks, singleSignOn: singleSignOn, reuse: reuse, secondFactor: secondFactor, seal: transactions,
            metrics: metrics, audit: audit, ambient: ambient)
        userAccess = UserAccess(
            stores: stores, clients: clients, directory: directory, audit: audit, ambient: ambient)
        passwords = Passwords(
            pool: hashing, parameters: passwordParameters,
            costs: HashCosts(stores.passwords, parameters: passwordParameters), ambient: ambient)
        let methodTokens = DescopeTokens(
            project: project, keys: keys, secrets: secrets, directory: directory, ambient: ambient)
        appSessions = AppSessions(
            issuer: issuer, clients: clients, grants: stores.grants, proofs: proofs, ambient: ambient)
        sessions = DescopeSessions(
            project: project, stores: stores, tokens: methodTokens, apps: appSessions,
            directory: directory, connections: connected, migration: migration, reports: reports,
            singleSignOn: singleSignOn, risks: risks, seal: transactions, audit: audit, ambient: ambient)
        managedUsers = ManagedUsers(
            project: project, stores: stores, directory: directory, passwords: passwords,
            authenticators: TOTPSeal(secrets, ambient: ambient), messages: messages, notices: notices,
            audit: audit, ambient: ambient)
        managedAccess = ManagedAccess(
            stores: stores, directory: directory, connections: connected, rulebook: project.rulebook, audit: audit,
            ambient: ambient)
        accessKeys = AccessKeys(stores: stores, tokens: methodTokens, audit: audit, ambient: ambient)
        managedOperators = ManagedOperators(
            stores: stores, rulebook: project.rulebook, notices: notices, audit: audit, ambient: ambient)
        managedSCIMTokens = ManagedSCIMTokens(
            stores: stores, directory: directory, rulebook: project.rulebook, audit: audit, ambient: ambient)
        managedClients = ManagedClients(
            projectID: project.id, stores: stores, clients: clients, rulebook: project.rulebook, audit: audit,
            ambient: ambient)
        managedSigningKeys = ManagedSigningKeys(
            store: stores.keys, ring: keys, algorithms: project.signatureAlgorithms.map(\.rawValue),
            rulebook: project.rulebook, audit: audit, ambient: ambient
        ) {
            KeyRotation(
                store: $0, secrets: secrets, tokenSecondsMax: tokenSecondsMax, provider: signingKeys, ambient: ambient)
        }
        managedMessages = ManagedMessages(
            queue: messages, rateLimits: stores.rateLimits, rulebook: project.rulebook, audit: audit, ambient: ambient)
        managedKeys = ManagedKeys(
            stores: stores, users: managedUsers, keys: accessKeys, audit: audit, ambient: ambient)
        signIn = SignIn(
            stores: stores, passwords: passwords, directories: directories, settings: methodSettings.passwords,
            breached: project.breachedPasswords, singleSignOn: singleSignOn, audit: audit, ambient: ambient)
        endSession = EndSession(
            clients: clients, hints: hints, stores: stores, notices: logoutNotices, audit: audit, ambient: ambient)
        appSessionTokens = AppSessionTokens(
            project: project, sessions: sessions, stores: stores, seal: transactions, audit: audit, ambient: ambient)
        methods = SignInMethods(
            project: project, settings: methodSettings, clients: clients, stores: stores, secrets: secrets,
            passwords: passwords, directories: directories,
            relyingParties: RelyingParties(relyingParties, issuer: project.issuer, name: project.name),
            messages: messages, notices: notices, domains: domains, audit: audit, ambient: ambient)
        recovery = FactorRecovery(
            core: methods.codes.core, settings: methodSettings.recovery, messages: messages)
        sitePasskeys = SitePasskeys(
            store: stores.passkeys, spent: stores.spent, rateLimits: stores.rateLimits, secrets: secrets, audit: audit,
            ambient: ambient)
        settings = AccountSettings(
            project: project, clients: clients, stores: stores, methods: methods, signIn: signIn, audit: audit,
            ambient: ambient)
        managedUserAccess = ManagedUserAccess(
            users: managedUsers, settings: settings, methods: methods, connections: connected, stores: stores,
            notices: notices, audit: audit, ambient: ambient)
        self.keyService = keyService.map {
            KeyService(
                settings: $0, stores: stores, secrets: secrets, pool: keyHashing, parameters: passwordParameters,
                audit: audit, ambient: ambient)
        }
        auditLog = audit
        securityEvents = SecurityEventTokens(issuer: issuer)
        signalStreams = SignalStreams(
            project: project, clients: clients, stores: stores, secrets: secrets, tokens: securityEvents, audit: audit,
            ambient: ambient)
        auditKey = secrets.first(for: .auditCheckpoint)
        readiness = Readiness(stores.maintenance, isShared: stores.isShared, keys: keys, ambient: ambient)
        self.ambient = ambient
    }
}
