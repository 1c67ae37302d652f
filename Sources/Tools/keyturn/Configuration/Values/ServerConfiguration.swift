internal import Authority
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import SAML
internal import SignIn
internal import Texts
internal import Web

/// What an operator decides about a server: the whole configuration, checked, with defaults filled in.
struct ServerConfiguration: Sendable {
    var issuer = IssuerSetting.automatic
    var listen = ListenAddress.standard
    var database = DatabaseLocation.file("keyturn.db")
    /// Most connections to PostgreSQL; `nil`: by the number of processors.
    var databaseConnections: Int?
    /// Seconds between the word that the server stops and the end of listening.
    var drainSeconds = 0
    /// Allows plain http beyond this machine, and very short lifetimes. Never in production.
    var isDevelopment = false
    /// The first seals, all open. Empty: made by the server, and kept beside the database.
    var secrets: [SealingKey] = []
    /// Proxies whose headers say where a request comes from. Empty: none.
    var trustedProxies: [IPAddressRange] = []
    var project = ProjectConfiguration()
    var passkeys: [PasskeyConfiguration] = []
    var delivery = DeliveryConfiguration()
    /// `nil`: clients are those of this file and of the command line.
    var registration: RegistrationConfiguration?
    /// What the pages look like; `nil`: the built-in look.
    var theme: Theme?
    /// The languages, with the operator’s own words.
    var texts = TextCatalog.builtIn
    /// Sign-ins that differ from the built-in one.
    var journeys: [Journey] = []
    /// By the names of the journeys that have one.
    var journeyThemes: [String: Theme] = [:]
    /// What becomes of the audit log.
    var audit = AuditConfiguration()
    /// What is done about unusual sign-ins.
    var risk = RiskSettings(notifies: true)
    /// Where traces go; `nil`: nothing is traced.
    var tracing: TracingConfiguration?
    /// Where new signing keys are kept; `nil`: in the database, sealed.
    var pkcs11: PKCS11Configuration?
    /// Data keys for devices; `nil`: there is no key service.
    var keyService: KeyServiceSettings?
    /// Connections to identity providers.
    var connections: [Connection] = []
    /// Signs SAML requests and opens encrypted assertions; `nil`: neither is done.
    var samlKey: ServiceKey?
    var tenants: [TenantConfiguration] = []
    var roles: [RoleConfiguration] = []
    var clients: [ClientConfiguration] = []
    var users: [UserConfiguration] = []
    /// What was accepted, though it may not do what its author expects.
    var warnings: [ConfigurationProblem] = []

    /// Whether other machines may reach the outbox.
    var showsMessagesToOthers: Bool {
        guard delivery.outbox else { return false }
        return switch issuer {
        case .automatic: !listen.isLoopback
        case .fixed(let issuer): URIParts(issuer)?.isLoopbackInBrowsers != true
        }
    }
}

/// The world of users and clients that the server holds.
struct ProjectConfiguration: Sendable {
    /// `nil`: the one that the database keeps, made at the first start.
    var id: String?
    var name = "Keyturn"
    /// Bearer tokens of the management interface.
    var managementKeys: [Secret] = []
    /// The first is what clients get that register none.
    var signingAlgorithms = ["ES256", "RS256"]
    /// Seconds.
    var accessTokenSeconds = 600
    /// Seconds without use after which a session ends: 30 days.
    var refreshTokenIdleSeconds = 2_592_000
    /// Seconds after which a session ends in any case: 365 days.
    var refreshTokenAbsoluteSeconds = 31_536_000
    /// What happens to a session whose refresh tokens two clients use in turn.
    var shadowedSessions = ShadowedSessions.tell
    /// Days without a session after which a user without an account is removed.
    var anonymousPurgeDays = Limits.anonymousPurgeDays
    var passwordPolicy = PasswordPolicyConfiguration()
    /// Passwords that users may not choose; `nil`: the operator keeps no list.
    var breachedPasswords: BreachedPasswords?
    /// What is asked of passwords beside their policy, and where links may lead.
    var methods = MethodSettings()
    /// Who may open an account, who needs a second factor, and which rules are loosened.
    var authority = AuthorityPolicy()
    /// The resource indicators that may be asked for (RFC 8707); `nil`: any.
    var resources: [String]?
    /// The types of `authorization_details` that may be asked for (RFC 9396).
    var authorizationDetailTypes: [String] = []
    /// Other issuers whose tokens are exchanged for sessions.
    var sessionMigration: [MigrationConfiguration] = []
}

/// How clients register themselves.
struct RegistrationConfiguration: Sendable {
    /// The token that a registration must show; `nil`: any client may register.
    var initialAccessToken: Secret?
    /// What such clients may ask people for; `nil`: what every client may.
    var scope: Scope?
    var clientsMax = 1_000
    /// The strict rules for what such clients sign.
    var strictAssertions = false

    /// The settings that the rules work with.
    var settings: RegistrationSettings {
        RegistrationSettings(
            initialAccessTokens: initialAccessToken.map { [SecretDigest(of: $0)] } ?? [],
            scope: scope ?? Scope(names: Scope.standard), clientsMax: clientsMax,
            strictAssertions: strictAssertions)
    }
}

/// What a new password must have.
struct PasswordPolicyConfiguration: Hashable, Sendable {
    /// Characters.
    var minLength = 8
    var lowercase = false
    var uppercase = false
    var number = false
    var nonAlphanumeric = false

    /// Whether a password is good enough.
    func accepts(_ password: String) -> Bool {
        password.count >= minLength
            && (!lowercase || password.contains(where: \.isLowercase))
            && (!uppercase || password.contains(where: \.isUppercase))
            && (!number || password.contains(where: \.isNumber))
            && (!nonAlphanumeric || password.contains { !$0.isLetter && !$0.isNumber })
    }
}
