import Keyturn
import KeyturnUI
import SwiftUI

/// The ways in: the browser, a passkey, a code by mail.
struct SignInPage: View {
    @Environment(KeyturnModel.self) private var model
    @State private var email = ""
    @State private var code = ""
    @State private var isCodeSent = false
    @State private var error: AuthError?

    var body: some View {
        VStack {
            if model.end != nil { Text("You were signed out. Please sign in again.") }
            SignInButton("Sign in", options: Settings.signIn, error: $error)
            Button("Sign in with a passkey") {
                attempt { () async throws(AuthError) in try await model.auth.passkeys.signIn() }
            }
            TextField("Email", text: $email).textContentType(.username)
            if isCodeSent {
                TextField("Code", text: $code)
                Button("Continue") {
                    attempt { () async throws(AuthError) in
                        try await model.auth.otp.verify(with: .email, loginId: email, code: code)
                    }
                }
            } else {
                Button("Send a code") {
                    attempt { () async throws(AuthError) in
                        _ = try await model.auth.otp.signIn(with: .email, loginId: email)
                        isCodeSent = true
                    }
                }
            }
            if let error = error ?? model.linkError { ErrorText(error: error) }
        }
    }

    private func attempt(_ signIn: @escaping @MainActor () async throws(AuthError) -> Void) {
        Task { error = await failure(signIn) }
    }
}
