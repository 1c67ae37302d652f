internal import ArgumentParser
internal import Foundation
internal import Keyturn
internal import KeyturnBase

/// The PIN that opens a locked session, for commands that use one.
struct PINOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The PIN of a locked session; - reads it from standard input, where other programs cannot see it.",
            valueName: "pin"))
    var pin: String?

    /// The PIN that was given, if one was.
    func given(_ console: MethodConsole = .live) throws -> Secret? {
        guard let pin else { return nil }
        guard pin == "-" else { return Secret(pin) }
        return try console.askSecret("PIN: ")
    }

    /// The PIN that was given, or that is asked for now.
    func asked(_ console: MethodConsole = .live) throws -> Secret {
        try given(console) ?? console.askSecret("PIN: ")
    }

    /// A new PIN; a person at a terminal types it twice.
    func chosen(_ console: MethodConsole = .live) throws -> Secret {
        if let given = try given(console) { return given }
        let first = try console.askSecret("New PIN: ")
        if console.isTerminal, first != (try console.askSecret("Once more: ")) {
            throw CommandFailure.refused("the PINs differ.")
        }
        return first
    }
}

/// A container, and whether its session can be used.
struct LockState {
    let auth: Keyturn
    let kind: Kind

    enum Kind: Equatable {
        case signedOut
        /// Without a PIN.
        case plain
        /// Under a PIN, and unlocked for every process.
        case unlocked(user: String)
        case locked(user: String)
    }

    /// Looks, and unlocks with the key that an earlier command left. Asks no network.
    init(_ auth: Keyturn) async throws(AuthError) {
        self.auth = auth
        if try await Self.resumes(auth), let user = await auth.vault.unlockedUser {
            kind = .unlocked(user: user)
        } else if try await auth.start().isSignedIn {
            kind = .plain
        } else {
            var kind = Kind.signedOut
            for user in try await auth.vault.users where try await auth.vault.hasStoredSession(user) {
                kind = .locked(user: user)
            }
            self.kind = kind
        }
    }

    /// A key that lay open and can never be read again opens nothing: the session is locked, or a sign-in replaced it.
    private static func resumes(_ auth: Keyturn) async throws(AuthError) -> Bool {
        do throws(AuthError) {
            return try await auth.vault.resume()
        } catch {
            guard error.code == .storeKeyLost else { throw error }
            return false
        }
    }
}
