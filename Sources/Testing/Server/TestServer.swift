internal import Foundation
public import Identity
internal import KeyturnBase
public import KeyturnWire
internal import Logging
public import Model
internal import NIOCore
internal import NIOPosix
public import OAuth
internal import ServiceLifecycle
public import SignIn
package import StoreSQL
internal import Telemetry
public import Web

/// A whole identity server inside the test's process: real sockets, a database in memory, and a clock that the test
/// moves.
public final class TestServer: Sendable {
    public let issuer: String
    /// The address it listens on, whatever its issuer is.
    public let address: String
    public let clock: VirtualClock
    public let services: IdentityServices
    private let testDatabase: TestDatabase
    package var database: any SQLDatabase { testDatabase.database }
    public let secrets: ServerSecrets
    /// The web server.
    public let web: WebServer
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// A user of every test server.
    public static let username = "andy@example.com"
    public static let password = "correct-horse-battery"
    /// A key for the management interface of every test server.
    public static let managementKey = "management-key-of-the-test"
    public static let subject = UserID(rawValue: "11111111-1111-4111-8111-111111111111")

    /// Starts a server and waits until it listens.
    ///
    /// - Parameters:
    ///   - clients: registered beside ``TestClients/all``.
    ///   - issuer: where the server says it is; `nil` takes the address that it listens on.
    ///   - channels: what pages may offer to send by; messages stay in the queue.
    ///   - trustsForwarding: whether `X-Forwarded-For` counts, so that a test can come from elsewhere.
    ///   - migration: other issuers whose tokens are exchanged for sessions.
    ///   - registration: whether clients may register themselves.
    ///   - relyingParties: whose passkeys are kept, beside those of the server's own pages.
    ///   - methodSettings: what the operator decides about codes, links and passwords.
    ///   - keyService: how data keys of devices are kept; `nil`: there is no key service.
    ///   - connection: what one connection may cost.
    ///   - connections: to identity providers.
    ///   - protocols: what speaks to them.
    ///   - passwordDirectory: asks directories about passwords; `nil`: none is asked.
    ///   - outbox: shown at `/dev/outbox`; `nil`: there is no such page.
    ///   - demonstration: what the demonstration's pages say; `nil`: there are none.
    ///   - movableClock: moved at `/dev/time`; made of `clock`, or used in its place. `nil`: there is no such address.
    ///   - journeyCalls: asks services of the operator in journeys.
    ///   - contents: what it knows at its start.
    ///   - onStatement: called with every SQL statement, so that a test can count them.
    public static func start(
        clients: [Client] = [], issuer: String? = nil, clock: VirtualClock = VirtualClock(),
        project: (String) -> Project = { Project(id: "test", name: "Test", issuer: $0) },
        methodSettings: MethodSettings = MethodSettings(), trustsForwarding: Bool = false,
        channels: Set<DeliveryMethod> = [.email, .sms], migration: [MigrationSource] = [],
        relyingParties: [RelyingParty] = [], registration: RegistrationSettings? = nil,
        keyService: KeyServiceSettings? = KeyServiceSettings(),
        connection: ConnectionLimits = TestServer.connectionLimits, connections: [Connection] = [],
        protocols: ConnectionProtocols = ConnectionProtocols(), passwordDirectory: (any PasswordDirectory)? = nil,
        outbox: (any Outbox)? = nil, demonstration: Demonstration? = nil, movableClock: DevelopmentClock? = nil,
        theme: Theme? = nil, journeyCalls: any JourneyCaller = NoJourneyCaller(), contents: TestContents = .usual,
        onStatement: (@Sendable (String) -> Void)? = nil
    ) async throws -> TestServer {
        for _ in 0..<5 {
            let server = try await launch(
                clients: clients, issuer: issuer, clock: clock, project: project, methodSettings: methodSettings,
                trustsForwarding: trustsForwarding, channels: channels, migration: migration,
                relyingParties: relyingParties, registration: registration, keyService: keyService,
                connection: connection, connections: connections, protocols: protocols,
                passwordDirectory: passwordDirectory, outbox: outbox, demonstration: demonstration,
                movableClock: movableClock, theme: theme, journeyCalls: journeyCalls,
                contents: contents, onStatement: onStatement)
            if let server { return server }
        }
        throw TestFailure("no port stays free")
    }

    /// Starts a server on a database that has been used, with the secrets of every test server.
    ///
    /// - Parameters:
    ///   - issuer: `nil`: the address that it listens on.
    ///   - contents: what it is given beside what it has.
    package static func start(
        on database: any SQLDatabase, issuer: String? = nil, contents: TestContents = .none,
        project: (String) -> Project = { Project(id: "test", name: "Test", issuer: $0) }
    ) async throws -> TestServer {
        for _ in 0..<5 {
            let server = try await launch(
                clients: [], issuer: issuer, clock: VirtualClock(), project: project, methodSettings: MethodSettings(),
                trustsForwarding: false, channels: [.email, .sms], migration: [], relyingParties: [],
                registration: nil, keyService: KeyServiceSettings(), connection: connectionLimits, connections: [],
                protocols: ConnectionProtocols(), passwordDirectory: nil, outbox: nil, demonstration: nil,
                movableClock: nil, theme: nil, journeyCalls: NoJourneyCaller(), contents: contents, onStatement: nil,
                database: database)
            if let server { return server }
        }
        throw TestFailure("no port stays free")
    }

    /// - Returns: `nil` if another process took the port at the same moment.
    /// - Throws: Any other error that kept the server from listening.
    private static func launch(
        clients: [Client], issuer: String?, clock: VirtualClock, project: (String) -> Project,
        methodSettings: MethodSettings, trustsForwarding: Bool, channels: Set<DeliveryMethod>,
        migration: [MigrationSource], relyingParties: [RelyingParty],
        registration: RegistrationSettings?, keyService: KeyServiceSettings?, connection: ConnectionLimits,
        connections: [Connection], protocols: ConnectionProtocols, passwordDirectory: (any PasswordDirectory)?,
        outbox: (any Outbox)?, demonstration: Demonstration?, movableClock: DevelopmentClock?,
        theme: Theme?, journeyCalls: any JourneyCaller, contents: TestContents,
        onStatement: (@Sendable (String) -> Void)?, database: (any SQLDatabase)? = nil
    ) async throws -> TestServer? {
        let port = try await freePort()
        let address = "http://127.0.0.1:\(port)"
        let issuer = issuer ?? address
        let database = try database.map(TestDatabase.init) ?? TestDatabase(onStatement: onStatement)
        let keys = try await TestKeys.shared.value
        let secrets = keys.secrets
        var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let registry = ServerMetrics.makeRegistry()
        let services = IdentityServices(
            project: project(issuer), stores: database.database.stores(), secrets: secrets,
            hashing: HashingPool(threads: 2),
            keyHashing: HashingPool(threads: 2),
            passwordParameters: Argon2Parameters(memoryKiB: 64, passes: 1, lanes: 1),
            methodSettings: methodSettings, relyingParties: relyingParties, migration: migration,
            registration: registration, keyService: keyService, connections: connections,
            passwordDirectory: passwordDirectory, journeyCalls: journeyCalls,
            metrics: ServiceMetrics(factory: registry), ambient: movableClock?.ambient ?? clock.ambient)
        for client in contents.clients + clients { try await services.stores.clients.put(client, at: clock.now) }
        for account in try await contents.accounts(services) { try await services.stores.users.create(account) }
        _ = try await services.stores.keys.add(keys.stored(at: clock.now))
        try await services.prepare()
        await Upkeep(services) { _ in }.maintainKeys()
        var date: (@Sendable () -> UnixTime)?
        if movableClock == nil { date = { clock.now } }
        var options = WebServer.Options(
            host: "127.0.0.1", port: port,
            trustedProxies: trustsForwarding ? [try IPAddressRange("127.0.0.1")] : [],
            managementKeys: [Secret("another-key"), Secret(managementKey)], demonstration: demonstration,
            outbox: outbox, movableClock: movableClock, date: date, channels: channels,
            connection: connection, protocols: protocols, theme: theme)
        options.registry = registry
        options.previews = EchoedPreviews()
        let web = try WebServer(services, secrets: secrets, options: options, logger: logger)
        let (listening, signal) = AsyncStream.makeStream(of: Void.self)
        let service = web.service { _ in signal.yield() }
        var configuration = ServiceGroupConfiguration(services: [.init(service: service)], logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(2)
        let group = ServiceGroup(configuration: configuration)
        // Unstructured on purpose: the server lives until stop().
        let running = Task {
            defer { signal.finish() }
            try await group.run()
        }
        guard await listening.first(where: { _ in true }) != nil else {
            do {
                try await running.value
            } catch let error as IOError where error.errnoCode == EADDRINUSE {
                return nil
            }
            throw TestFailure("the server ended before it listened")
        }
        return TestServer(issuer, address, clock, services, database, secrets, web, group, running)
    }

    private init(
        _ issuer: String, _ address: String, _ clock: VirtualClock, _ services: IdentityServices,
        _ database: TestDatabase,
        _ secrets: ServerSecrets, _ web: WebServer, _ group: ServiceGroup, _ running: Task<Void, any Error>
    ) {
        self.issuer = issuer
        self.address = address
        self.clock = clock
        self.services = services
        testDatabase = database
        self.secrets = secrets
        self.web = web
        self.group = group
        self.running = running
    }

    /// The keys that another server publishes, fetched as the program fetches them.
    public static func keys(at uri: String) -> any RemoteJWKS { keyClient.keys(at: uri) }

    /// One for all servers of a process, because it is never shut down.
    private static let keyClient = RemoteKeyClient(
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })

    /// The limits of the program, except that nothing waits at the end of a test.
    public static let connectionLimits: ConnectionLimits = {
        var limits = ConnectionLimits()
        limits.farewell = .zero
        return limits
    }()

    /// Stops as the program does: accepts no new connections, and finishes the open ones.
    public func stop() async {
        await group.triggerGracefulShutdown()
        _ = try? await running.value
        testDatabase.end()
    }

    /// A new browser without cookies.
    public func browser() -> ScriptedBrowser {
        ScriptedBrowser(origin: address)
    }

    fileprivate static func person(_ services: IdentityServices) async throws -> Account {
        let now = services.ambient.now()
        let hash = try await services.passwords.hash(Secret(password))
        let claims: [String: JSONValue] = [
            "name": "Andy Rhoads", "given_name": "Andy", "family_name": "Rhoads", "email": .string(username),
            "email_verified": true, "phone_number": "+15551234567", "phone_number_verified": false,
            "address": ["country": "US", "locality": "Springfield"], "locale": "en",
        ]
        let user = User(id: subject, claims: claims, createdAt: now, updatedAt: now)
        guard let identifier = Identifier(loginID: username) else { preconditionFailure("an email address") }
        return Account(user: user, identifiers: [identifier: .verified], passwordHash: hash)
    }

    private static func freePort() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        defer { channel.close(promise: nil) }
        return channel.localAddress?.port ?? 0
    }
}

/// What a test server knows at its start.
public struct TestContents: Sendable {
    public let clients: [Client]
    /// Made when the server can hash passwords.
    public let accounts: @Sendable (IdentityServices) async throws -> [Account]

    public init(clients: [Client], accounts: @escaping @Sendable (IdentityServices) async throws -> [Account]) {
        self.clients = clients
        self.accounts = accounts
    }

    /// Nothing: the database has it already.
    public static let none = TestContents(clients: []) { _ in [] }

    /// ``TestClients/all``, and one user.
    public static let usual = TestContents(clients: TestClients.all) { services in
        [try await TestServer.person(services)]
    }
}

/// The clients that every test server knows.
public enum TestClients {
    public static let webSecret = "web-secret-web-secret-web-secret"
    public static let callback = "http://127.0.0.1:9000/callback"

    /// Confidential, by header, asks for consent.
    public static let web = make("web", method: "client_secret_basic", secret: webSecret)
    /// Confidential, by form, first party.
    public static let portal = make("portal", method: "client_secret_post", secret: webSecret, firstParty: true)
    /// Public, first party, loopback redirects.
    public static let tool = make("tool", method: "none", secret: nil, firstParty: true, native: true)
    /// A client of another company.
    public static let other = make("other", method: "client_secret_basic", secret: "other-secret-other-secret-other")

    public static let all = [web, portal, tool, other]

    public static func make(
        _ id: String, method: String, secret: String?, firstParty: Bool = false, native: Bool = false,
        configure: (inout ClientMetadata) -> Void = { _ in }
    ) -> Client {
        var metadata = ClientMetadata()
        metadata.clientName = "Client \(id)"
        metadata.redirectURIs = native ? ["http://127.0.0.1/callback"] : [callback]
        metadata.postLogoutRedirectURIs = ["http://127.0.0.1:9000/"]
        metadata.grantTypes = ["authorization_code", "refresh_token"] + (secret == nil ? [] : ["client_credentials"])
        metadata.tokenEndpointAuthMethod = method
        metadata.scope = "openid profile email phone address offline_access api.read"
        metadata.idTokenSignedResponseAlg = "ES256"
        if native { metadata.applicationType = "native" }
        configure(&metadata)
        return Client(
            id: id, metadata: metadata, secretDigests: secret.map { [SecretDigest(of: Secret($0))] } ?? [],
            isFirstParty: firstParty)
    }
}
