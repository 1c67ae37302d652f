internal import ArgumentParser
internal import Keyturn
internal import KeyturnBase

/// `keyturn unlock`: opens a session that a PIN protects.
struct UnlockCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlock",
        abstract: "Open a session that lies under a PIN.",
        discussion: """
            It stays open for every command until `keyturn lock`: the key lies beside the session as long. To open it for \
            one command alone, give that --pin.

            Exit status: 0 open, 2 the PIN is wrong or the key is locked, 3 the server could not be reached.
            """)

    @OptionGroup var container: ContainerOptions

    @OptionGroup var pin: PINOptions

    @Flag(help: "Print one JSON object instead of text.")
    var json = false

    func run() async throws {
        let auth = try await container.stored()
        do {
            let user = try await unlock(auth)
            guard !json else {
                return Report.json(["name": .string(container.name), "unlocked": true, "subject": .string(user)])
            }
            Live.write("Open until `keyturn lock\(container.suffix)`.\n")
        } catch let error as AuthError {
            if json { report(error) }
            throw ClientFailure.failure(for: error, advice: container.advice)
        }
    }

    private func unlock(_ auth: Keyturn) async throws -> String {
        switch try await LockState(auth).kind {
        case .signedOut: throw container.nobody
        case .plain:
            throw CommandFailure.refused(
                "the session is under no PIN. `keyturn lock\(container.suffix)` puts it under one.")
        case .unlocked(let user): return user
        case .locked(let user):
            try await auth.vault.unlock(user, password: pin.asked().exposed())
            try await auth.vault.keepUnlocked()
            return user
        }
    }

    private func report(_ error: AuthError) {
        var members: [String: JSONValue] = [
            "name": .string(container.name), "unlocked": false, "code": .string(error.code.rawValue),
        ]
        members["remaining_attempts"] = error.remainingAttempts.map { .integer(Int64($0)) }
        Report.json(.object(members))
    }
}
