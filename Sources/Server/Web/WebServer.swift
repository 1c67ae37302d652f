public import Identity
public import KeyturnBase
public import KeyturnWire
public import Logging
public import Model
internal import CoreMetrics
internal import NIOCore
public import ServiceLifecycle
public import SignIn
package import Telemetry
package import Texts

/// The server as a program sees it: takes the services, gives a running HTTP server.
public struct WebServer: Sendable {
    /// What the operator decided about the network.
    public struct Options: Sendable {
        public var host: String
        /// 0 picks a free port.
        public var port: Int
        /// Descriptors of sockets that listen already: they are used, and closed at the end, and no other is opened.
        public var sockets: [Int32] = []
        public var trustedProxies: [IPAddressRange]
        /// Keys that open `/metrics` to other machines.
        public var managementKeys: [Secret]
        /// Shows the demonstration pages; never in production.
        public var demonstration: Demonstration?
        /// Shows every message at `/dev/outbox`; never in production.
        public var outbox: (any Outbox)?
        /// Shows operators what messages say; `nil`: it cannot be shown.
        public var previews: (any MessagePreviews)?
        /// Lets developers move the server's clock at `/dev/time`, which must be this one; never in production.
        public var movableClock: DevelopmentClock?
        /// What the answers' `Date` says, for a server whose clock is not the machine's; `nil`: the machine's time.
        public var date: (@Sendable () -> UnixTime)?
        /// How messages are delivered: pages offer nothing that cannot be delivered. With an outbox everything can.
        public var channels: Set<DeliveryMethod>
        /// Counts from elsewhere for `/metrics`; called at each reading.
        public var measurements: @Sendable () -> [Measurement]
        /// Keeps what is recorded through swift-metrics, and shows it at `/metrics`; `nil`: the server has its own.
        package var registry: MetricRegistry?
        /// More for `/metrics`; called at each reading.
        package var metricFamilies: @Sendable () async -> [MetricFamily] = { [] }
        /// What one connection may cost.
        public var connection: ConnectionLimits
        /// How many there may be.
        public var connections = ConnectionBounds(openFiles: .max)
        /// What speaks to identity providers.
        public var protocols: ConnectionProtocols
        /// What the pages look like; `nil`: the built-in look.
        public var theme: Theme?
        /// The languages, with the operator’s own words.
        package var texts = TextCatalog.builtIn
        /// What they look like in journeys that have a look of their own, by the journeys' names.
        public var journeyThemes: [String: Theme]

        public init(
            host: String, port: Int, trustedProxies: [IPAddressRange] = [], managementKeys: [Secret] = [],
            demonstration: Demonstration? = nil, outbox: (any Outbox)? = nil, movableClock: DevelopmentClock? = nil,
            date: (@Sendable () -> UnixTime)? = nil,
            channels: Set<DeliveryMethod> = [], measurements: @escaping @Sendable () -> [Measurement] = { [] },
            connection: ConnectionLimits = ConnectionLimits(), protocols: ConnectionProtocols = ConnectionProtocols(),
            theme: Theme? = nil, journeyThemes: [String: Theme] = [:]
        ) {
            self.host = host
            self.port = port
            self.trustedProxies = trustedProxies
            self.managementKeys = managementKeys
            self.demonstration = demonstration
            self.outbox = outbox
            self.movableClock = movableClock
            self.date = date
            if let movableClock, date == nil { self.date = { movableClock.now } }
            self.channels = channels
            self.measurements = measurements
            self.connection = connection
            self.protocols = protocols
            self.theme = theme
            self.journeyThemes = journeyThemes
        }

        /// The channels by which pages offer to send.
        var offeredChannels: Set<DeliveryMethod> { outbox == nil ? channels : Set(DeliveryMethod.allCases) }
    }

    /// A number that `/metrics` shows.
    public struct Measurement: Sendable {
        public let name: String
        public let help: String
        public let value: Int
        /// Tells the series of one name apart: a name and a value of few kinds.
        public let label: (name: String, value: String)?

        public init(name: String, help: String, value: Int, label: (name: String, value: String)? = nil) {
            self.name = name
            self.help = help
            self.value = value
            self.label = label
        }
    }

    private let options: Options
    /// The routes of this server's responder.
    let routes: [Route]
    private let responder: Responder
    private let connections: OpenConnections
    private let logger: Logger

    public init(_ services: IdentityServices, secrets: ServerSecrets, options: Options, logger: Logger) throws {
        let presenter = Presenter(
            renderer: PageRenderer(theme: options.theme, themes: options.journeyThemes),
            projectName: services.project.name,
            languages: Languages(options.texts))
        let registry = options.registry ?? ServerMetrics.makeRegistry()
        let exposed = ExposedMetrics(
            registry: registry, measurements: options.measurements, families: options.metricFamilies,
            connections: OpenConnections(bounds: options.connections, trustedProxies: options.trustedProxies))
        let checks = Checks(
            services: services, cookies: Cookies(issuer: services.project.issuer), guardian: CrossSiteGuard(secrets),
            addresses: ClientAddress(
                trustedProxies: options.trustedProxies, issuer: services.project.issuer,
                reports: exposed.forwarding),
            managementKeys: options.managementKeys)
        routes = try RouteTable.rows(
            RouteParts(
                checks: checks, presenter: presenter, metrics: exposed,
                reach: DeliveryReach(options.offeredChannels),
                options: options))
        // Without a registry of the program's, this server keeps its own, beside the backend of the process.
        let factory: any MetricsFactory =
            options.registry ?? MultiplexMetricsHandler(factories: [MetricsSystem.factory, registry])
        let metrics = RequestMetrics(
            paths: routes.map(\.path), scheme: services.project.issuer.hasPrefix("https:") ? "https" : "http",
            factory: factory, active: exposed.active, history: exposed.history)
        responder = Responder(routes, services: services, presenter: presenter, metrics: metrics)
        connections = exposed.connections
        self.options = options
        self.logger = logger
    }

    /// Listens and answers until it is told to stop; then finishes the open requests.
    ///
    /// - Parameter onListening: called once, with the port, as soon as connections are accepted.
    public func service(onListening: @escaping @Sendable (Int) async -> Void) -> some Service {
        Listener(
            host: options.host, port: options.port, sockets: options.sockets,
            channel: ServerChannel(
                limits: options.connection, connections: connections, now: options.date ?? Ambient.live.now
            ) {
                [responder, logger] request, peer in
                await responder.respond(to: request, context: WebContext(peer: peer, logger: logger))
            },
            logger: logger, onListening: onListening)
    }
}
