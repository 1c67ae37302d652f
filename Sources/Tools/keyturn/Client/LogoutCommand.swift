internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// `keyturn logout`: ends a session at the service and on this machine.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session, here and at the service.",
        discussion: "The browser's own session at the service is another one, and stays.")

    @OptionGroup var container: ContainerOptions

    @OptionGroup var pin: PINOptions

    @Flag(help: "End it here even if the service cannot be reached, or the session is locked.")
    var force = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        if try await removeLocked() { return report(wasSignedIn: true) }
        guard let auth = try await find() else { return report(wasSignedIn: false) }
        do throws(AuthError) {
            try await auth.logout(force: force)
        } catch {
            guard error.code == .unavailable else { throw ClientFailure.failure(for: error) }
            throw CommandFailure.unreachable(
                "the service cannot be reached, and nothing was changed. Try again, or say --force to sign out here.")
        }
        report(wasSignedIn: true)
    }

    /// A locked session opens only with its PIN. Without it the session is removed here, and expires at the service.
    private func removeLocked() async throws -> Bool {
        // What cannot be read is not locked; what is left of it goes the usual way.
        guard force, pin.pin == nil, let auth = try? await container.storedOrNil() else { return false }
        guard case .locked(let user) = try? await LockState(auth).kind else { return false }
        return try await ClientFailure.explained {
            try await auth.vault.clear(user)
            return true
        }
    }

    /// The container; with `--force` also one that cannot be read, so that it can be got rid of.
    private func find() async throws -> Keyturn? {
        do {
            return try await container.find(pin: pin.given())
        } catch let failure as CommandFailure {
            guard force, let choice = KnownContainers.live?.read()[container.name] else { throw failure }
            return Keyturn(choice.value, name: container.name, transport: NetworkTransport())
        }
    }

    private func report(wasSignedIn: Bool) {
        guard !json else {
            return Report.json(["name": .string(container.name), "was_signed_in": .bool(wasSignedIn)])
        }
        Live.write(wasSignedIn ? "Signed out.\n" : "Nobody was signed in.\n")
    }
}
