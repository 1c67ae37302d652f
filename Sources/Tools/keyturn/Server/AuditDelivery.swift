internal import Delivery
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import Web

/// Sends the audit log to the programs of the configuration, beside the requests, and says in the log what matters.
struct AuditDelivery: Service, CustomStringConvertible {
    private let sender: AuditStreamSender

    init(_ streams: [AuditStreamConfiguration], _ services: IdentityServices, logger: Logger) throws {
        let issuer = services.project.issuer
        let host = URIParts(issuer)?.host?.text ?? issuer
        sender = AuditStreamSender(
            try streams.map { stream in
                AuditStream(
                    name: stream.name, actions: stream.actions,
                    transport: try Self.transport(stream, issuer: issuer, host: host, services))
            }, stores: services.stores, ambient: services.ambient
        ) { event in
            Self.log(event, logger)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown { await sender.run() }
        // Without streams it has nothing to do, and a service that returns ends the program.
        try? await gracefulShutdown()
    }

    /// What became of events since the start, by stream.
    var measurements: @Sendable () -> [WebServer.Measurement] {
        { [counters = sender.counters] in
            let values = counters.values.sorted { $0.key < $1.key }
            let numbers: [(String, String, (AuditStreamCounters.Values) -> Int)] = [
                ("sent_total", "Audit events that the stream's program took.", { $0.sent }),
                ("failures_total", "Attempts to send audit events that failed, and are tried again.", { $0.failures }),
                ("waiting", "Audit events that were not sent yet.", { Int($0.waiting) }),
            ]
            return numbers.flatMap { name, help, value in
                values.map { stream, numbers in
                    .init(
                        name: "keyturn_audit_stream_\(name)", help: help, value: value(numbers),
                        label: ("stream", stream))
                }
            }
        }
    }

    var description: String { "AuditDelivery" }

    private static func transport(
        _ stream: AuditStreamConfiguration, issuer: String, host: String, _ services: IdentityServices
    ) throws -> any AuditTransport {
        switch stream.target {
        case .webhook(let url, let key):
            return AuditWebhook(url: url, key: key, issuer: issuer, ambient: services.ambient)
        case .receiver(let url, let audience, let authorization):
            return SharedSignalsReceiver(
                url: url, audience: audience, authorization: authorization, tokens: services.securityEvents,
                ambient: services.ambient)
        case .syslog(let settings):
            do {
                return try SyslogTransport(settings, sender: host)
            } catch {
                throw CommandFailure.refused("audit.streams: \(error).")
            }
        }
    }

    private static func log(_ event: AuditStreamSender.Event, _ logger: Logger) {
        switch event {
        case .postponed(let stream, let reason, let seconds):
            logger.warning(
                "audit events not sent yet",
                metadata: ["stream": "\(stream)", "reason": "\(reason)", "next": "\(seconds) s"])
        case .resumed(let stream):
            logger.notice("audit events are sent again", metadata: ["stream": "\(stream)"])
        }
    }
}
