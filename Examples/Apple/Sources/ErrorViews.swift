import Keyturn
import KeyturnUI
import SwiftUI

/// What went wrong, in the app's own words. Texts of errors are for developers.
struct ErrorText: View {
    let error: AuthError

    var body: some View {
        switch error.code {
        case .unavailable: Text("No connection.")
        case .vaultWrongPassword: Text("Wrong PIN.")
        case .vaultKeyLocked: Text("Too many wrong PINs. Please sign in.")
        default: Text("Something went wrong: \(error.code.rawValue)")
        }
    }
}

/// The session cannot be read: as a rule because the device has not been unlocked yet.
struct StorePage: View {
    @Environment(KeyturnModel.self) private var model
    let error: AuthError

    var body: some View {
        VStack {
            ErrorText(error: error)
            Button("Try again") {
                Task { await model.start() }
            }
        }
    }
}

/// What an operation failed with; `nil` if it did not, or if the user gave up.
@MainActor func failure(_ operation: @MainActor () async throws(AuthError) -> Void) async -> AuthError? {
    do throws(AuthError) {
        try await operation()
        return nil
    } catch {
        return error.code == .cancelled ? nil : error
    }
}
