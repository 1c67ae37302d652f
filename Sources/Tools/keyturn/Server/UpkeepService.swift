internal import Identity
internal import Logging
internal import ServiceLifecycle

/// Runs the server's upkeep beside the requests, and says in the log what matters.
struct UpkeepService: Service {
    private let upkeep: Upkeep

    init(_ services: IdentityServices, logger: Logger) {
        upkeep = Upkeep(services) { event in
            switch event {
            case .keysAdded(let keys):
                logger.info("signing keys added", metadata: ["kid": "\(keys.joined(separator: " "))"])
            case .removed(let rows):
                logger.debug("expired rows removed", metadata: ["rows": "\(rows)"])
            case .auditEventsDropped(let refusals, let others):
                logger.error(
                    "audit events lost: too many came, or the database was away for too long",
                    metadata: ["refusals": "\(refusals)", "others": "\(others)"])
            case .unreadableConnections(let connections):
                logger.error(
                    "connections cannot be read: a secret is missing that sealed them",
                    metadata: ["connections": "\(connections.joined(separator: " "))"])
            case .clockDiffers(let seconds):
                logger.warning(
                    "this machine's clock differs from the database's: set both by NTP",
                    metadata: ["seconds_ahead": "\(seconds)"])
            case .failed(let task, let error):
                logger.error("upkeep failed", metadata: ["task": "\(task)", "error": "\(error)"])
            }
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await upkeep.run() }
    }
}
