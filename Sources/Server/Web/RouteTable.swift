internal import HTTPTypes
internal import Hummingbird

/// One route: what is asked, what is checked before anything happens, in order, and who answers.
struct Route: Sendable {
    /// What stands between a request and its handler. The handler does it; the table says it, and tests hold both
    /// against each other.
    enum Check: String, Sendable {
        /// The client proves who it is, in the way it registered.
        case client
        /// A bearer access token of ours.
        case accessToken
        /// A sealed journey that this server began.
        case journey
        /// A form from a page of ours, in this browser, for this session.
        case sameSite
        /// This machine, or a management key.
        case `operator`
        /// Somebody is signed in in this browser; if not, they sign in and come back.
        case signedIn
        /// They have signed in within the last minutes; if not, they do so again and come back.
        case recentSignIn
        /// The bearer names this project.
        case project
        /// The refresh JWT of a session that lives.
        case session
        /// An access key that is good.
        case accessKey
        /// One of the project's management keys.
        case managementKey
        /// The key of a relying party's pages and apps, from one of its origins if a browser asks.
        case publishableKey
        /// The key of a relying party's backends.
        case secretKey
        /// What the operator gives those who may register clients, if they gave any.
        case initialAccessToken
        /// What a client that registered itself got for its own entry.
        case registrationToken
    }

    /// What a script on another page may do with the answer.
    enum Sharing: Sendable {
        /// Pages and forms: nothing.
        case none
        /// Pages of registered clients may read it.
        case clients
        /// Pages of relying parties may read it.
        case sites
        /// Public documents.
        case anybody
    }

    /// In a path: any one name, which the handler reads (``Request/names(in:)``).
    static let anyName = "/{name}"

    let method: HTTPRequest.Method
    /// With ``anyName`` wherever a name stands.
    let path: String
    var checks: [Check] = []
    var sharing: Sharing = .none
    /// Whether a person reads the answer: then errors are pages.
    var isPage = false
    let handler: @Sendable (Request, WebContext) async throws -> Response
}

/// Every address of the server.
enum Routes {
    static let authorize = "/oauth2/authorize"
    static let token = "/oauth2/token"
    static let userInfo = "/oauth2/userinfo"
    static let introspect = "/oauth2/introspect"
    static let revoke = "/oauth2/revoke"
    static let keys = "/oauth2/jwks"
    static let deviceAuthorization = "/oauth2/device_authorization"
    static let challenge = "/oauth2/challenge"
    static let pushedRequests = "/oauth2/par"
    static let registration = "/oauth2/register"
    static let endSession = "/oauth2/end_session"
    static let openIDConfiguration = "/.well-known/openid-configuration"
    static let protectedResource = "/.well-known/oauth-protected-resource"
    static let serverMetadata = "/.well-known/oauth-authorization-server"

    /// The table: one line for each method of each address.
    static func table(_ handlers: Handlers) -> [Route] {
        let authorizing = handlers.authorize
        let tokens = handlers.tokens
        let users = handlers.users
        let discovery = handlers.discovery
        let sessions = handlers.endSession
        let operations = handlers.operations
        return [
            Route(method: .get, path: openIDConfiguration, sharing: .anybody, handler: discovery.metadata),
            Route(method: .get, path: serverMetadata, sharing: .anybody, handler: discovery.metadata),
            Route(method: .get, path: protectedResource, sharing: .anybody, handler: discovery.protectedResource),
            Route(method: .get, path: keys, sharing: .anybody, handler: discovery.keys),

            Route(method: .get, path: authorize, isPage: true, handler: authorizing.authorize),
            Route(method: .post, path: authorize, isPage: true, handler: authorizing.authorize),
            Route(method: .get, path: "/consent", checks: [.journey], isPage: true, handler: authorizing.showConsent),
            Route(
                method: .post, path: "/consent", checks: [.journey, .sameSite], isPage: true,
                handler: authorizing.consent),

            Route(
                method: .post, path: pushedRequests, checks: [.client], sharing: .clients,
                handler: handlers.pushedRequests.push),
            Route(method: .post, path: token, checks: [.client], sharing: .clients, handler: tokens.token),
            Route(method: .post, path: introspect, checks: [.client], handler: tokens.introspect),
            Route(method: .post, path: revoke, checks: [.client], sharing: .clients, handler: tokens.revoke),
            Route(method: .get, path: userInfo, checks: [.accessToken], sharing: .clients, handler: users.userInfo),
            Route(method: .post, path: userInfo, checks: [.accessToken], sharing: .clients, handler: users.userInfo),

            Route(method: .get, path: endSession, isPage: true, handler: sessions.endSession),
            Route(method: .post, path: endSession, isPage: true, handler: sessions.endSession),
            Route(method: .get, path: "/logout", isPage: true, handler: sessions.showLogout),
            Route(
                method: .post, path: "/logout", checks: [.journey, .sameSite], isPage: true, handler: sessions.logout),

            Route(method: .get, path: "/healthz", handler: operations.health),
            Route(method: .get, path: "/readyz", handler: operations.readiness),
            Route(method: .get, path: "/metrics", checks: [.operator], handler: operations.prometheus),

            Route(method: .get, path: "/", isPage: true, handler: handlers.home.home),
        ] + handlers.signIn.routes + handlers.sessions.routes + handlers.projectKeys.routes + handlers.management.routes
            + handlers.proofs.routes + handlers.assets.routes + handlers.home.developmentRoutes
            + handlers.outbox.routes + handlers.settings.routes
            + handlers.boxUsers.routes + handlers.registration.routes + handlers.sitePasskeys.routes
            + handlers.passkeyDocuments.routes + handlers.devices.routes + handlers.challenges.routes
            + handlers.keyService.routes + handlers.realms.routes
    }
}

/// Whoever answers, by subject.
struct Handlers: Sendable {
    let authorize: AuthorizeRoutes
    let pushedRequests: PushedRequestRoutes
    let registration: RegistrationRoutes
    let signIn: SignInRoutes
    let tokens: TokenRoutes
    let users: UserInfoRoutes
    let boxUsers: BoxUserRoutes
    let discovery: DiscoveryRoutes
    let endSession: EndSessionRoutes
    let operations: OperationsRoutes
    let assets: AssetRoutes
    let home: HomeRoutes
    let outbox: OutboxRoutes
    let sessions: SessionRoutes
    let projectKeys: ProjectKeyRoutes
    let management: ManagementRoutes
    let proofs: ProofRoutes
    let settings: SettingsRoutes
    let sitePasskeys: SitePasskeyRoutes
    let passkeyDocuments: PasskeyDocuments
    let devices: DeviceRoutes
    let challenges: ChallengeRoutes
    let keyService: KeyServiceRoutes
    let realms: RealmRoutes
}
