internal import Delivery
internal import Identity
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import Web

/// Notifies clients in ping mode beside the requests, and says in the log what matters.
struct PingDelivery: Service, CustomStringConvertible {
    private let sender: PingNoticeSender

    init(_ services: IdentityServices, logger: Logger) {
        sender = PingNoticeSender(
            notices: services.pingNotices, issuer: services.project.issuer, ambient: services.ambient
        ) { event in
            Self.log(event, logger)
        }
    }

    /// Until the server is asked to stop; then what is on its way is finished.
    func run() async throws {
        await withGracefulShutdownHandler {
            await sender.run()
        } onGracefulShutdown: {
            sender.stop()
        }
    }

    /// What became of notices since the start.
    var measurements: @Sendable () -> [WebServer.Measurement] {
        { [counters = sender.counters] in
            let values = counters.values
            let dropped = values.privateAddress + values.refused + values.expired + values.unwanted
            let numbers = [
                ("sent", "Notifications of decisions that clients in ping mode accepted.", values.sent),
                ("postponed", "Attempts followed by another.", values.postponed),
                ("given_up", "Given up: refused, not answered in time, a private address, or unwanted.", dropped),
            ]
            return numbers.map { .init(name: "keyturn_ping_notices_\($0.0)", help: $0.1, value: $0.2) }
        }
    }

    var description: String { "PingDelivery" }

    private static func log(_ event: PingNoticeSender.Event, _ logger: Logger) {
        switch event {
        case .sent(let clientID):
            logger.debug("client notified of a decision", metadata: ["client": "\(clientID)"])
        case .postponed(let clientID, let reason, let seconds):
            logger.notice(
                "client not notified of a decision yet",
                metadata: ["client": "\(clientID)", "reason": "\(reason)", "next": "\(seconds) s"])
        case .dropped(let clientID, let dropped):
            logger.warning(
                "client not notified of a decision",
                metadata: ["client": "\(clientID)", "reason": "\(reason(dropped))"])
        case .queueFailed(let error):
            logger.error("the queue of notifications does not answer", metadata: ["error": "\(error)"])
        }
    }

    private static func reason(_ dropped: LogoutNoticeSender.Dropped) -> String {
        switch dropped {
        case .privateAddress: "private address: see backchannel_logout_private_address"
        case .refused(let reason), .expired(let reason): reason
        case .unwanted: "the client is gone, or not in ping mode"
        }
    }
}
