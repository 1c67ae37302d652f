internal import Delivery
internal import Identity
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import Web

/// Delivers logout notices beside the requests, and says in the log what matters.
struct LogoutDelivery: Service, CustomStringConvertible {
    private let courier: LogoutNoticeSender

    init(_ services: IdentityServices, logger: Logger) {
        courier = LogoutNoticeSender(
            notices: services.logoutNotices, transport: BackchannelLogout(issuer: services.project.issuer),
            ambient: services.ambient
        ) { event in
            Self.log(event, logger)
        }
    }

    /// Until the server is asked to stop; then what is on its way is finished.
    func run() async throws {
        await withGracefulShutdownHandler {
            await courier.run()
        } onGracefulShutdown: {
            courier.stop()
        }
    }

    /// What became of notices since the start.
    var measurements: @Sendable () -> [WebServer.Measurement] {
        { [counters = courier.counters] in
            let values = counters.values
            let numbers = [
                ("sent", "Logout notices that relying parties accepted.", values.sent),
                ("postponed", "Attempts followed by another.", values.postponed),
                ("not_sent_private_address", "Not sent: the address is private.", values.privateAddress),
                ("not_sent_refused", "Given up: the relying party refused.", values.refused),
                ("not_sent_expired", "Given up: the relying party did not answer in time.", values.expired),
                ("not_sent_unwanted", "Not sent: the client is gone.", values.unwanted),
            ]
            return numbers.map { .init(name: "keyturn_logout_notices_\($0.0)", help: $0.1, value: $0.2) }
        }
    }

    var description: String { "LogoutDelivery" }

    private static func log(_ event: LogoutNoticeSender.Event, _ logger: Logger) {
        switch event {
        case .sent(let clientID):
            logger.debug("logout notice sent", metadata: ["client": "\(clientID)"])
        case .postponed(let clientID, let reason, let seconds):
            logger.notice(
                "logout notice not sent yet",
                metadata: ["client": "\(clientID)", "reason": "\(reason)", "next": "\(seconds) s"])
        case .dropped(let clientID, let dropped):
            logger.warning(
                "logout notice given up", metadata: ["client": "\(clientID)", "reason": "\(reason(dropped))"])
        case .queueFailed(let error):
            logger.error("the queue of logout notices does not answer", metadata: ["error": "\(error)"])
        }
    }

    private static func reason(_ dropped: LogoutNoticeSender.Dropped) -> String {
        switch dropped {
        case .privateAddress: "private address: see backchannel_logout_private_address"
        case .refused(let reason), .expired(let reason): reason
        case .unwanted: "the client is gone, or has no backchannel_logout_uri"
        }
    }
}
