internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// `keyturn lock`: puts the session under a PIN.
struct LockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        abstract: "Put the session under a PIN, and forget the key.",
        discussion: """
            The first time it asks for a new PIN, twice; later it needs none. The session stays on this machine, sealed \
            with a key that the server hands out for the PIN alone. After three wrong PINs in a row the server locks the \
            key for good: then sign in again, and run `keyturn lock --new-pin`.

            Open it again with `keyturn unlock`, or for one command with --pin.
            """)

    @OptionGroup var container: ContainerOptions

    @OptionGroup var pin: PINOptions

    @Flag(help: "Choose another PIN, because the old one is locked or forgotten.")
    var newPin = false

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        let auth = try await container.stored()
        let user = try await ClientFailure.explained(container.advice) { try await lock(auth) }
        guard !json else {
            return Report.json(["name": .string(container.name), "locked": true, "subject": .string(user)])
        }
        Live.write("Locked. Open it with `keyturn unlock\(container.suffix)`.\n")
    }

    private func lock(_ auth: Keyturn) async throws -> String {
        let user: String
        switch try await LockState(auth).kind {
        case .signedOut: throw container.nobody
        case .locked(let locked):
            guard !newPin else {
                throw CommandFailure.refused(
                    """
                    the session is locked. Run `keyturn unlock\(container.suffix)`, or `\(container.advice.login)` to \
                    sign in again, before you choose another PIN.
                    """)
            }
            return locked
        case .unlocked(let unlocked):
            if newPin { try await auth.vault.store(newPassword: pin.chosen().exposed()) }
            user = unlocked
        case .plain: user = try await store(auth)
        }
        try await auth.vault.lock()
        return user
    }

    /// Under the PIN that there is, or else under a new one.
    private func store(_ auth: Keyturn) async throws -> String {
        let known = try await auth.vault.users
        if let user = await auth.vault.currentUser, known.contains(user), !newPin {
            try await auth.vault.store(existingPassword: pin.asked().exposed())
        } else {
            try await auth.vault.store(newPassword: pin.chosen().exposed())
        }
        return await auth.vault.unlockedUser ?? ""
    }
}
