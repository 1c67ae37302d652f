internal import Identity
internal import KeyturnBase
internal import Logging
internal import Model
internal import ServiceLifecycle
internal import SignIn

/// A password of the configuration, of a user who was there before.
struct ConfiguredPassword: Sendable {
    let user: UserID
    let password: Secret
}

/// Compares passwords of the configuration with what the database has, and sets those that differ. Beside the requests:
/// each takes a hash, and a server with many users would start late. It writes nothing else of a user, who may have
/// changed since the start.
struct SeedingService: Service {
    private let waiting: [ConfiguredPassword]
    private let services: IdentityServices
    private let logger: Logger
    /// After a failure, in seconds.
    private static let pauseSeconds = 5

    init(_ waiting: [ConfiguredPassword], _ services: IdentityServices, logger: Logger) {
        self.waiting = waiting
        self.services = services
        self.logger = logger
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for password in waiting { await apply(password) }
        }
        // A service that returns would end the others.
        try await gracefulShutdown()
    }

    /// Tries until it is done.
    private func apply(_ configured: ConfiguredPassword) async {
        while !Task.isCancelled {
            do {
                return try await compare(configured)
            } catch {
                logger.error(
                    "a password of the configuration could not be compared: it is tried again",
                    metadata: ["user": "\(configured.user.rawValue)", "error": "\(error)"])
                try? await Task.sleep(for: .seconds(Self.pauseSeconds))
            }
        }
    }

    private func compare(_ configured: ConfiguredPassword) async throws {
        guard let account = try await services.stores.users.account(configured.user),
            try await services.passwords.check(configured.password, against: account.passwordHash) == .wrong
        else { return }
        try await Seeding.set(configured.password, of: account, services)
    }
}
