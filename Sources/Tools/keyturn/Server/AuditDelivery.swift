internal import Delivery
internal import Identity
internal import KeyturnBase
internal import KeyturnWire
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import Web

/// Sends the audit log to the programs of the configuration and to receivers that registered, beside the requests, and
/// says in the log what matters.
struct AuditDelivery: Service, CustomStringConvertible {
    private let sender: AuditStreamSender
    private let signals: SignalStreamSender

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
        signals = SignalStreamSender(services.signalStreams, issuer: issuer, ambient: services.ambient) { event in
            Self.log(event, logger)
        }
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            async let signals: Void = signals.run()
            await sender.run()
            await signals
        }
        // Without streams it has nothing to do, and a service that returns ends the program.
        try? await gracefulShutdown()
    }

    /// What became of events since the start, by stream, and by client for streams that receivers registered.
    var measurements: @Sendable () -> [WebServer.Measurement] {
        { [streams = sender.counters, signals = signals.counters] in
            Self.measurements(of: streams, "audit_stream", label: "stream")
                + Self.measurements(of: signals, "signal_stream", label: "client")
                + streams.values.sorted { $0.key < $1.key }.map { name, values in
                    .init(
                        name: "keyturn_audit_stream_waiting", help: "Audit events that were not sent yet.",
                        value: Int(values.waiting), label: ("stream", name))
                }
        }
    }

    private static func measurements(
        of counters: AuditStreamCounters, _ prefix: String, label: String
    ) -> [WebServer.Measurement] {
        let numbers: [(String, String, (AuditStreamCounters.Values) -> Int)] = [
            ("sent_total", "Audit events that the program took.", { $0.sent }),
            ("failures_total", "Attempts to send audit events that failed, and are tried again.", { $0.failures }),
        ]
        return numbers.flatMap { name, help, value in
            counters.values.sorted { $0.key < $1.key }.map { key, values in
                .init(name: "keyturn_\(prefix)_\(name)", help: help, value: value(values), label: (label, key))
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
