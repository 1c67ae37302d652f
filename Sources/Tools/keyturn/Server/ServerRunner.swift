internal import Delivery
internal import Dispatch
internal import Federation
internal import Foundation
internal import Identity
internal import KeyturnBase
internal import LDAP
internal import Logging
internal import Model
internal import NIOCore
internal import SAML
internal import ServiceLifecycle
internal import SignIn
internal import StoreSQL
internal import Web

/// The wiring of the server program: configuration in, a running server out. Everything is made here, once.
enum ServerRunner {
    /// What is in flight when the server is asked to stop may take so long, in seconds.
    private static let graceSeconds = 10

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - demonstration: the pages of `keyturn dev`; `nil`: there are none.
    ///   - clock: a clock that developers can move; `nil`: the machine's.
    ///   - manager: what the program that started this one handed over; `nil`: nothing.
    ///   - welcome: printed to standard error once the server listens.
    static func run(
        _ configuration: ServerConfiguration, demonstration: Demonstration?, clock: DevelopmentClock? = nil,
        manager: ServiceManager? = nil, logger: Logger,
        welcome: @escaping @Sendable () -> String? = { nil }
    ) async throws {
        MemoryService.prepare()
        let openFiles = OpenFiles.raise()
        SystemTimers.open()
        let telemetry = ServerTelemetry(configuration.tracing, logger: logger)
        var configuration = configuration
        configuration.listen = try manager?.address ?? pickPort(configuration.listen)
        // Once more: options and sockets of a unit may have changed where it listens.
        guard configuration.isDevelopment || !configuration.showsMessagesToOthers else {
            throw CommandFailure.refused("delivery.outbox: \(ServerReader.outboxDetail). Set it to false.")
        }
        let issuer = configuration.issuer.text(listeningOn: configuration.listen)
        let database = try openDatabase(of: configuration, onStep: StepLog(logger).write)
        let keys = try SecretsFile.secrets(for: configuration)
        guard let secrets = ServerSecrets(keys) else {
            throw CommandFailure.refused("secrets: list one to \(Limits.secretsMax) secrets of 32 bytes each.")
        }
        let signingKeys = try configuration.signingKeyProvider()
        let stores = telemetry.observed(database).stores()
        try await configuration.check(
            KeyRotation(
                store: stores.keys, secrets: secrets, tokenSecondsMax: 0, provider: signingKeys, ambient: .live))
        let projectID = try await ProjectID.decide(configuration.project.id, database)
        logger.info("project", metadata: ["id": "\(projectID)"])
        let parties = try await RelyingPartyLoader(store: stores.passkeys, logger: logger, ambient: .live)
            .load(configuration.passkeys)
        // From here on everything that is made is also ended.
        let foreignKeys = RemoteKeyClient(logger: logger)
        let journeyCalls = JourneyCalls(ambient: clock?.ambient ?? .live)
        let services = IdentityServices(
            project: configuration.project.project(
                issuer: issuer, id: projectID, journeys: configuration.journeys, risk: configuration.risk,
                hasPushService: configuration.delivery.pushWebhook != nil,
                auditRetentionDays: configuration.audit.retentionDays),
            stores: stores, secrets: secrets,
            hashing: telemetry.passwordHashing, keyHashing: telemetry.keyHashing,
            methodSettings: configuration.project.methods, relyingParties: parties,
            migration: configuration.project.sessionMigration.map { $0.source(fetching: foreignKeys) },
            keyClient: foreignKeys, registration: configuration.registration?.settings,
            keyService: configuration.keyService, connections: configuration.connections,
            passwordDirectory: LDAPDirectory(ambient: clock?.ambient ?? .live), journeyCalls: journeyCalls,
            metrics: telemetry.metrics, signingKeys: signingKeys, ambient: clock?.ambient ?? .live,
            onUnusualRefresh: { RefreshLog.write($0, logger) })
        let listen = configuration.listen
        let outcome: Result<Void, any Error>
        do {
            let drain = Drain(seconds: configuration.drainSeconds, services, database, manager, logger: logger)
            try await serve(
                configuration, services, secrets, demonstration, clock, telemetry, drain, manager,
                ConnectionBounds(openFiles: openFiles), logger
            ) { port in
                let line = announce(port: port, issuer: issuer, listen, welcome: welcome())
                manager?.notify(.ready(line), logger: logger)
            }
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        // However it ended: a client that is not shut down ends the program.
        await foreignKeys.shutdown()
        await journeyCalls.shutdown()
        database.close()
        try outcome.get()
    }

    private static func serve(
        _ configuration: ServerConfiguration, _ services: IdentityServices, _ secrets: ServerSecrets,
        _ demonstration: Demonstration?, _ clock: DevelopmentClock?, _ telemetry: ServerTelemetry, _ drain: Drain,
        _ manager: ServiceManager?, _ bounds: ConnectionBounds, _ logger: Logger,
        onListening: @escaping @Sendable (Int) async -> Void
    ) async throws {
        let waiting = try await Seeding.apply(configuration, to: services, logger: logger)
        try await services.prepare()
        if clock == nil { try await services.readiness.compareClocks() }
        let delivery = try MessageDelivery(
            configuration.delivery, colors: configuration.theme?.mailColors, texts: configuration.texts,
            services: services, logger: logger)
        let logout = LogoutDelivery(services, logger: logger)
        let pings = PingDelivery(services, logger: logger)
        let audit = try AuditDelivery(configuration.audit.streams, services, logger: logger)
        let outcome: Result<Void, any Error>
        do {
            let protocols = protocols(configuration, services)
            let certificates = CertificateService(services, protocols, logger: logger)
            var options = options(configuration, services, protocols, demonstration, clock, delivery)
            options.connections = bounds
            options.sockets = manager?.sockets.map(\.descriptor) ?? []
            telemetry.show(
                in: &options, drain.database,
                beside: [
                    delivery.measurements, logout.measurements, pings.measurements, certificates.measurements,
                    audit.measurements,
                ])
            let server = try WebServer(services, secrets: secrets, options: options, logger: logger)
            // The watchdog goes on until all others have stopped.
            try await serve(
                watchdog(manager, services, logger) + telemetry.services + [
                    MemoryService(), SeedingService(waiting, services, logger: logger),
                    UpkeepService(services, logger: logger),
                    ProviderTokenService(services, protocols, logger: logger), certificates,
                    MetadataService(
                        services, protocols, rules: ConnectionRules(issuer: services.project.issuer), logger: logger),
                    delivery, logout, pings, audit, server.service(onListening: onListening),
                ],
                on: configuration.listen, drain: drain, logger: logger)
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await delivery.shutdown()
        try outcome.get()
    }

    private static func options(
        _ configuration: ServerConfiguration, _ services: IdentityServices, _ protocols: ConnectionProtocols,
        _ demonstration: Demonstration?, _ clock: DevelopmentClock?, _ delivery: MessageDelivery
    ) -> WebServer.Options {
        var options = WebServer.Options(
            host: configuration.listen.host, port: configuration.listen.port,
            trustedProxies: configuration.trustedProxies,
            managementKeys: configuration.project.managementKeys, demonstration: demonstration,
            outbox: delivery.outbox, movableClock: clock, channels: delivery.channels,
            protocols: protocols, theme: configuration.theme, journeyThemes: configuration.journeyThemes)
        options.texts = configuration.texts
        options.previews = delivery.previews
        return options
    }

    private static func protocols(
        _ configuration: ServerConfiguration, _ services: IdentityServices
    ) -> ConnectionProtocols {
        let issuer = services.project.issuer
        let http = ProviderHTTPClient(issuer: issuer)
        return ConnectionProtocols(
            openID: OpenIDProtocol(issuer: issuer, http: http, ambient: services.ambient),
            saml: SAMLProtocol(issuer: issuer, http: http, key: configuration.samlKey, ambient: services.ambient))
    }

    /// A free port, where the configuration leaves the choice open: the issuer must be known before the first request.
    static func pickPort(_ address: ListenAddress) throws -> ListenAddress {
        guard address.port == 0 else { return address }
        return ListenAddress(host: address.host, port: try FreePort.find(host: address.host))
    }

    /// Opens the database, unless its keys are sealed with other secrets than the server would have: then nothing is
    /// written.
    ///
    /// - Parameter onStep: told of each step of the schema that is taken, and how far it is.
    /// - Throws: ``CommandFailure`` with what to do.
    static func openDatabase(
        of configuration: ServerConfiguration, onStep: (StepProgress) -> Void = { _ in }
    ) throws -> any SQLDatabase {
        var refusal: (any Error)?
        do {
            func admits(_ keys: [StoredKey]) -> Bool {
                do {
                    try SecretsFile.check(keys, for: configuration, at: Ambient.live.now())
                    return true
                } catch {
                    refusal = error
                    return false
                }
            }
            return switch configuration.database {
            case .memory: try SQLiteDatabase(path: nil)
            case .file(let path): try SQLiteDatabase(path: path, admits: admits, onStep: onStep)
            case .postgreSQL(let address):
                try PostgreSQLDatabase(
                    address.exposed(),
                    connectionsMax: configuration.databaseConnections ?? PostgreSQLDatabase.connectionsMax,
                    admits: admits, onStep: onStep)
            }
        } catch {
            throw refusal ?? CommandFailure.failed("the database could not be opened: \(error)")
        }
    }

    private static func watchdog(
        _ manager: ServiceManager?, _ services: IdentityServices, _ logger: Logger
    ) -> [any Service] {
        guard let manager, let timeout = manager.watchdog else { return [] }
        let store = Watchdog.Part(name: "database") { try? await services.stores.maintenance.ping() }
        return [
            Watchdog(timeout: timeout, parts: [.eventLoops, store], logger: logger) {
                manager.notify(.watchdog, logger: logger)
            }
        ]
    }

    /// - Returns: what it printed on standard output.
    private static func announce(port: Int, issuer: String, _ listen: ListenAddress, welcome: String?) -> String {
        let address = ListenAddress(host: listen.host, port: port).authority
        let line = "listening on http://\(address) (issuer \(issuer))"
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
        if let welcome { FileHandle.standardError.write(Data(welcome.utf8)) }
        return line
    }

    /// The first signal finishes what is in flight; the second one ends the process at once.
    private static func serve(
        _ services: [any Service], on listen: ListenAddress, drain: Drain, logger: Logger
    ) async throws {
        // They stop in the opposite order: first no more requests, then no more messages, then no more upkeep.
        var configuration = ServiceGroupConfiguration(
            services: services.map { .init(service: PlainService(service: $0)) }, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(graceSeconds)
        let group = ServiceGroup(configuration: configuration)
        let signals = await StopSignals {
            Task {
                await drain.run()
                await group.triggerGracefulShutdown()
            }
        }
        defer { signals.cancel() }
        do {
            try await group.run()
        } catch is CancellationError {
            return
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            throw CommandFailure.failed(
                "\(listen.authority) is taken: stop what listens there, or choose another with --listen.")
        } catch {
            throw CommandFailure.failed("the server stopped: \(error)")
        }
    }
}

/// A service that is described by its type: the group describes each when it is made, and of all that a service holds
/// that takes longer than starting it.
private struct PlainService: Service, CustomStringConvertible {
    let service: any Service
    var description: String { "\(type(of: service))" }

    func run() async throws { try await service.run() }
}
