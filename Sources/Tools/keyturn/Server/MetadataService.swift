internal import Identity
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import SignIn

/// Reads the metadata of SAML providers again, each about once a day.
struct MetadataService: Service {
    private let rounds: MetadataRounds
    private let logger: Logger

    init(_ services: IdentityServices, _ protocols: ConnectionProtocols, rules: ConnectionRules, logger: Logger) {
        rounds = MetadataRounds(
            connections: services.connections, protocols: protocols, rules: rules, audit: services.auditLog,
            ambient: services.ambient)
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .seconds(60))
                guard !Task.isCancelled else { return }
                do throws(StoreError) {
                    for event in try await rounds.run() { log(event) }
                } catch {
                    logger.error("providers' metadata could not be kept", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    private func log(_ event: MetadataRounds.Event) {
        switch event {
        case .certificatesChanged(let connection, let now):
            logger.notice(
                "a provider has other certificates now",
                metadata: ["connection": "\(connection)", "sha256": "\(now.joined(separator: " "))"])
        case .failed(let connection, let code):
            logger.warning(
                "a provider's metadata could not be read again: what was read before stays",
                metadata: ["connection": "\(connection)", "reason": "\(code)", "next": "in an hour"])
        }
    }
}
