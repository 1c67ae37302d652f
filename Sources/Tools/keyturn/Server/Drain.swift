internal import Identity
internal import Logging
internal import StoreSQL

/// The time between the word that a server stops and the end of listening: requests are answered as ever, and the
/// balancer sends the next ones elsewhere.
struct Drain: Sendable {
    private let seconds: Int
    private let services: IdentityServices
    let database: any SQLDatabase
    private let manager: ServiceManager?
    private let logger: Logger

    init(
        seconds: Int, _ services: IdentityServices, _ database: any SQLDatabase, _ manager: ServiceManager?,
        logger: Logger
    ) {
        self.seconds = seconds
        self.services = services
        self.database = database
        self.manager = manager
        self.logger = logger
    }

    func run() async {
        services.readiness.stop()
        manager?.notify(.stopping("finishing the requests in flight"), logger: logger)
        if seconds > 0 {
            logger.info("stopping: /readyz says 503 from now on", metadata: ["seconds": "\(seconds)"])
            try? await Task.sleep(for: .seconds(seconds))
        }
        database.hurry()
    }
}
