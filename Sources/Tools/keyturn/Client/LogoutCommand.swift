internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// `keyturn logout`: ends a session at the service and on this machine.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session, here and at the service.",
        discussion: """
            The browser's own session at the service is another one, and stays. A client that signed in as itself is \
            forgotten with its secret.

            With --force it ends here in any case: while the service cannot be reached, while the session is locked, \
            or when what is stored can never be read again because its key is lost.
            """)

    @OptionGroup var container: ContainerOptions

    @OptionGroup var pin: PINOptions

    @Flag(help: "End it here even if the service cannot be reached, or the session is locked or cannot be read.")
    var force = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        if try await removeLocked() { return report(wasSignedIn: true) }
        let auth = try await find()
        let wasSignedIn: Bool
        do throws(AuthError) {
            wasSignedIn = try await end(auth)
        } catch {
            guard error.code == .unavailable else { throw ClientFailure.failure(for: error, advice: container.advice) }
            throw CommandFailure.unreachable(
                """
                \(NetworkProblem.told(by: error)?.detail ?? "the service cannot be reached"), and nothing was changed. \
                Try again, or run `\(container.advice.command(["logout", "--force"]))` to sign out here.
                """)
        }
        report(wasSignedIn: wasSignedIn)
    }

    /// - Parameter auth: The user's; `nil`: it may be a client's own.
    /// - Returns: Whether there was anything to end.
    private func end(_ auth: Keyturn?) async throws(AuthError) -> Bool {
        guard let auth else { return try await container.clientSession.end(force: force) }
        try await auth.logout(force: force)
        // Two sign-ins at once may have left both.
        _ = try await container.clientSession.end(force: force)
        return true
    }

    /// A locked session opens only with its PIN. Without it the session is removed here, and expires at the service.
    private func removeLocked() async throws -> Bool {
        // What cannot be read is not locked; what is left of it goes the usual way.
        guard force, pin.pin == nil, let auth = try? await container.storedOrNil() else { return false }
        guard case .locked(let user) = try? await LockState(auth).kind else { return false }
        return try await ClientFailure.explained(container.advice) {
            try await auth.vault.clear(user)
            return true
        }
    }

    /// The container; with `--force` also one that cannot be read, so that it can be got rid of.
    private func find() async throws -> Keyturn? {
        do {
            return try await container.find(pin: pin.given())
        } catch let failure as CommandFailure {
            guard force else { throw failure }
            // What cannot be read names no service, and is told to none.
            let choice = KnownContainers.live?.read()[container.name] ?? .unknown
            return Keyturn(choice.value, name: container.name, transport: container.transport)
        }
    }

    private func report(wasSignedIn: Bool) {
        guard !json else {
            return Report.json(["name": .string(container.name), "was_signed_in": .bool(wasSignedIn)])
        }
        Live.write(wasSignedIn ? "Signed out.\n" : "Nobody was signed in.\n")
    }
}

extension ServiceChoice {
    /// Where it was lost with whom a session was.
    fileprivate static let unknown = ServiceChoice(
        service: .openid, issuer: "https://unknown.invalid", clientID: "unknown")
}
