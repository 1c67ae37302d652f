internal import Identity
internal import SignIn

/// Every route of the server: each folder lists its own.
enum RouteTable {
    /// One row for each method of each address.
    ///
    /// - Parameter parts: what the routes need.
    static func rows(_ parts: RouteParts) throws -> [Route] {
        let checks = parts.checks
        let presenter = parts.presenter
        let services = checks.services
        let authorize = AuthorizeRoutes(checks: checks, presenter: presenter)
        let tokens = TokenRoutes(checks: checks)
        let discovery = try DiscoveryRoutes(services: services, languages: presenter.languages)
        let methods = DescopeMiddleware(checks: checks)
        let management = ManagementMiddleware(frame: methods)
        let options = parts.options
        let operations = OperationsRoutes(services: services, exposed: parts.metrics, checks: checks)
        let travel = options.movableClock.map { TimeTravel(clock: $0, services: services) }
        let home = HomeRoutes(
            services: services, checks: checks, presenter: presenter, demonstration: options.demonstration,
            outboxURI: options.outbox.map { _ in Routes.outbox }, travel: travel)
        let gate = FederationGate(
            services: services, presenter: presenter, addresses: checks.addresses, protocols: options.protocols)
        let settings = SettingsMiddleware(
            checks: checks, presenter: presenter,
            offers: SettingsActionOffers(services: services, reach: parts.reach, gate: gate))
        let endSession = EndSessionRoutes(checks: checks, presenter: presenter, gate: gate)
        let signIn = SignInRoutes(
            checks: checks, authorize: authorize, presenter: presenter, reach: parts.reach, gate: gate)
        let tables = [
            discovery.routes, authorize.routes, PushedRequestRoutes(checks: checks).routes, tokens.routes,
            UserInfoRoutes(checks: checks).routes, DeviceRoutes(checks: checks, presenter: presenter).routes,
            BackchannelRoutes(checks: checks).routes, ApprovalRoutes(checks: checks).routes,
            ChallengeRoutes(services: services).routes, AppSessionTokenRoutes(services: services).routes,
            AnonymousRoutes(checks: checks).routes,
            RegistrationRoutes(checks: checks).routes, SharedSignalsRoutes(checks: checks).routes,
            endSession.routes,
            SingleLogoutRoutes(checks: checks, presenter: presenter, gate: gate, endSession: endSession).routes,
            signIn.routes, FlowRoutes(signIn: signIn).routes, FederationRoutes(signIn: signIn).routes,
            DescopeFederationRoutes(frame: methods, signIn: signIn).routes,
            NativeSocialRoutes(frame: methods, gate: gate).routes,
            ProviderLogoutRoutes(services: services, gate: gate).routes,
            InitiatedSignInRoutes(signIn: signIn).routes,
            ConnectionTrialRoutes(signIn: signIn).routes,
            SettingsRoutes(frame: settings, reach: parts.reach, gate: gate).routes,
            ConsoleRoutes(
                frame: ConsoleMiddleware(checks: checks, presenter: presenter), metrics: parts.metrics,
                protocols: options.protocols, languages: presenter.languages.all, channels: options.offeredChannels,
                previews: options.previews
            ).routes,
            SessionRoutes(frame: methods).routes, SignInMethodPages.all.flatMap { $0.calls(methods) },
            ProjectKeyRoutes(services: services).routes,
            ManagementRoutes(frame: management, protocols: options.protocols, previews: options.previews).routes,
            VerificationManagementRoutes(frame: management).routes,
            SitePasskeyRoutes(frame: SitePasskeyMiddleware(checks: checks)).routes,
            PasskeyDocuments(parties: services.methods.passkeys.parties).routes,
            ProvisioningRoutes(checks: checks).routes,
            BoxUserRoutes(checks: checks).routes, KeyServiceRoutes(checks: checks).routes,
            RealmRoutes(checks: checks, authorize: authorize, tokens: tokens, discovery: discovery).routes,
            operations.routes, AssetRoutes(more: ConsoleAssets.all + presenter.renderer.themeAssets).routes,
            BrowserClientRoutes().routes, home.routes,
            OutboxRoutes(checks: checks, presenter: presenter, outbox: options.outbox).routes,
            TimeRoutes(checks: checks, travel: travel).routes,
            ThemeRoutes(checks: checks, presenter: presenter, options: options).routes,
        ]
        return tables.flatMap(\.self)
    }
}

/// What the routes are made with.
struct RouteParts: Sendable {
    let checks: Checks
    let presenter: Presenter
    let metrics: ExposedMetrics
    /// The addresses to which pages can send messages.
    let reach: DeliveryReach
    let options: WebServer.Options
}
