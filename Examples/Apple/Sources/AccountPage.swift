import Keyturn
import KeyturnUI
import SwiftUI

/// The signed-in user's page.
struct AccountPage: View {
    @Environment(KeyturnModel.self) private var model
    @State private var pin = ""
    @State private var error: AuthError?

    var body: some View {
        VStack {
            if case .signedIn(let user) = model.state { Text(user.name ?? user.email ?? "Signed in") }
            if model.isStale { Text("No connection: what you see may be old.") }
            Button("Add a passkey") {
                attempt { () async throws(AuthError) in
                    if case .signedIn(let user) = model.state, let email = user.email {
                        try await model.auth.passkeys.add(loginId: email)
                    }
                }
            }
            SecureField("PIN", text: $pin)
            Button("Lock with this PIN") {
                attempt { () async throws(AuthError) in
                    try await model.auth.vault.store(newPassword: pin)
                    try await model.auth.vault.lock()
                }
            }
            Button("Sign out") {
                attempt { () async throws(AuthError) in try await model.auth.logout(force: true) }
            }
            if let error { ErrorText(error: error) }
        }
    }

    private func attempt(_ operation: @escaping @MainActor () async throws(AuthError) -> Void) {
        Task { error = await failure(operation) }
    }
}
