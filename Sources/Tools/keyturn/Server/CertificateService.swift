internal import Identity
internal import KeyturnBase
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import SignIn
internal import Web

/// Warns of the certificates of connections that end soon: in the log once a day, and their contacts by email.
struct CertificateService: Service {
    private static let daySeconds: Int64 = 86_400
    private let services: IdentityServices
    private let protocols: ConnectionProtocols
    private let logger: Logger

    init(_ services: IdentityServices, _ protocols: ConnectionProtocols, logger: Logger) {
        self.services = services
        self.protocols = protocols
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var logged: [String: UnixTime] = [:]
            while !Task.isCancelled {
                do {
                    try await look(&logged)
                } catch {
                    logger.error("certificates could not be looked at", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(3_600))
            }
        }
    }

    /// - Parameter logged: when each certificate was last named in the log.
    private func look(_ logged: inout [String: UnixTime]) async throws {
        let now = services.ambient.now()
        logged = logged.filter { $0.value + Self.daySeconds > now }
        let watch = CertificateWatch(replay: services.stores.spent, sender: services.messages)
        for warning in try await watch.look(services.connections.all, protocols, at: now) {
            let fingerprint = warning.certificate.fingerprint
            guard logged["\(warning.connectionID) \(fingerprint)"] == nil else { continue }
            logged["\(warning.connectionID) \(fingerprint)"] = now
            let end = warning.certificate.expiresAt
            logger.warning(
                end <= now ? "the certificate of a connection has ended" : "the certificate of a connection ends soon",
                metadata: [
                    "connection": "\(warning.connectionID)", "ends": "\(end.minuteText)",
                    "fingerprint": "\(fingerprint.prefix(16))",
                ])
        }
    }

    /// When the last certificate of each connection ends.
    var measurements: @Sendable () -> [WebServer.Measurement] {
        { [services, protocols] in
            CertificateWatch.certificates(of: services.connections.all, protocols).map { connection, certificate in
                WebServer.Measurement(
                    name: "keyturn_connection_certificate_expiry_timestamp_seconds",
                    help: "When the last certificate of a connection ends.",
                    value: Int(certificate.expiresAt.rawValue), label: ("connection", connection.id))
            }
        }
    }
}
