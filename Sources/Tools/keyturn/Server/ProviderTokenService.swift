internal import Identity
internal import Logging
internal import ServiceLifecycle
internal import SignIn

/// Revokes the tokens of users who are gone at their providers, once a minute.
struct ProviderTokenService: Service {
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
            while !Task.isCancelled {
                do {
                    try await services.providerTokens.revokeEnded(services.connections, protocols)
                } catch {
                    logger.error("tokens of providers could not be revoked", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(60))
            }
        }
    }
}
