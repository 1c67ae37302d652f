internal import Keyturn
internal import KeyturnTerminal

/// Signs a user in who types a code on another device; Ctrl-C gives up, with the exit code of a refusal.
struct DeviceLogin: Sendable {
    let auth: Keyturn
    let options: DeviceSignInOptions
    let output: TerminalOutput

    /// - Throws: the library's `AuthError`.
    func run() async throws -> SignInResult {
        let (auth, options, output) = (auth, options, output)
        // Unstructured, so that a signal can cancel it.
        let task = Task { try await auth.terminalSignIn(options, output: output) }
        let interrupt = Interrupt { task.cancel() }
        defer { interrupt.end() }
        return try await task.value
    }
}
