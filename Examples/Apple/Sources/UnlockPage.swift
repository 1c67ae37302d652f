import Keyturn
import KeyturnUI
import SwiftUI

/// A session lies in the vault: a PIN opens it.
struct UnlockPage: View {
    @Environment(KeyturnModel.self) private var model
    @State private var users: [String] = []
    @State private var pin = ""
    @State private var error: AuthError?

    var body: some View {
        VStack {
            SecureField("PIN", text: $pin)
            Button("Unlock") { unlock() }
            SignInButton("Sign in as another user", options: Settings.signIn, error: $error)
            if let error { ErrorText(error: error) }
        }
        .task { users = (try? await model.auth.vault.users) ?? [] }
    }

    private func unlock() {
        Task {
            error = await failure { () async throws(AuthError) in
                guard let user = users.first else { return }
                try await model.auth.vault.unlock(user, password: pin)
            }
            pin = ""
        }
    }
}
