internal import Foundation
internal import KeyturnBase
internal import Model
internal import SignIn

/// Reads passwords without showing them, and hashes them as the server does.
enum PasswordPrompt {
    /// From the terminal without echo, or the first line of standard input.
    static func read(confirm: Bool) throws -> Secret {
        guard isatty(STDIN_FILENO) == 1 else {
            guard let line = readLine(), !line.isEmpty else {
                throw CommandFailure.refused("no password on standard input.")
            }
            return Secret(line)
        }
        let first = try ask("Password: ")
        if confirm, first != (try ask("Once more: ")) { throw CommandFailure.refused("the passwords differ.") }
        return first
    }

    static func check(_ password: Secret, _ policy: PasswordPolicy, _ identifiers: [Identifier]) throws {
        let flaws = policy.flaws(in: password, identifiers: identifiers)
        guard flaws.isEmpty else {
            throw CommandFailure.refused("the password \(flaws.map(sentence).joined(separator: ", and it ")).")
        }
    }

    static func hash(_ password: Secret) async throws -> String {
        try await Passwords(pool: HashingPool(threads: 1), ambient: .live).hash(password)
    }

    private static func sentence(_ flaw: PasswordPolicy.Flaw) -> String {
        switch flaw {
        case .tooShort(let length): "needs at least \(length) characters"
        case .tooLong: "is longer than \(Limits.passwordBytesMax) bytes"
        case .lacksLowercase: "needs a lower-case letter"
        case .lacksUppercase: "needs an upper-case letter"
        case .lacksNumber: "needs a digit"
        case .lacksNonAlphanumeric: "needs a character that is neither letter nor digit"
        case .common: "is one of those that everybody tries first"
        case .breached: "is on the list of breached ones"
        case .containsIdentifier: "is made of the account's own name"
        case .containsNUL: "holds a NUL"
        }
    }

    private static func ask(_ prompt: String) throws -> Secret {
        let echo = TerminalEcho()
        Live.writeError(prompt)
        defer {
            echo.restore()
            Live.writeError("\n")
        }
        guard let line = readLine(), !line.isEmpty else { throw CommandFailure.refused("no password was typed.") }
        return Secret(line)
    }
}
