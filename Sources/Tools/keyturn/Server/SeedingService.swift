internal import Identity
internal import Logging
internal import Model
internal import ServiceLifecycle

/// Compares the passwords of the configuration's users with what the database has, and sets those that differ. Beside the
/// requests: each takes a hash, and a server with many users would start late.
struct SeedingService: Service {
    private let waiting: [UserConfiguration]
    private let services: IdentityServices
    private let logger: Logger
    /// After a failure, in seconds.
    private static let pauseSeconds = 5

    init(_ waiting: [UserConfiguration], _ services: IdentityServices, logger: Logger) {
        self.waiting = waiting
        self.services = services
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for user in waiting { await apply(user) }
        }
        // A service that returns would end the others.
        try await gracefulShutdown()
    }

    /// Tries until it is done, or until it is clear that it cannot be.
    private func apply(_ user: UserConfiguration) async {
        while !Task.isCancelled {
            do {
                return try await Seeding.finish(user, services)
            } catch let refusal as CommandFailure {
                return logger.error(
                    "a user of the configuration was not applied", metadata: ["error": "\(refusal.sentence)"])
            } catch {
                logger.error(
                    "a user of the configuration could not be applied: it is tried again",
                    metadata: ["user": "\(user.loginIDs.first ?? user.sub ?? "")", "error": "\(error)"])
                try? await Task.sleep(for: .seconds(Self.pauseSeconds))
            }
        }
    }
}
