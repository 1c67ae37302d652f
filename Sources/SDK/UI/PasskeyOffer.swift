internal import Keyturn

/// Passkeys offered where a username is typed.
enum PasskeyOffer {
    /// Offers them until the user takes one or the task is cancelled. Shows no failure: users can type instead.
    @MainActor static func run(_ auth: Keyturn, onToken: @MainActor (PasskeyTokenInfo) async -> Void) async {
        guard await auth.passkeys.availability.autofill, let info = try? await auth.passkeys.handleAutoFill() else {
            return
        }
        await onToken(info)
    }
}
