#if canImport(SwiftUI)
    public import Keyturn
    public import SwiftUI

    /// Signs a user in with the browser, over the window of its scene.
    ///
    /// ```swift
    /// SignInButton("Sign in", options: SignInOptions(redirectURI: "myapp://callback"), error: $error)
    /// ```
    ///
    /// Needs ``SwiftUICore/View/keyturn(_:magicLinkURL:onOtherURL:)`` above it. Disabled during the sign-in, which ends
    /// when the button is removed from the page.
    public struct SignInButton<Label: View>: View {
        @Environment(KeyturnModel.self) private var model
        @Environment(\.sceneWindow) private var scene
        @State private var run = SignInRun()
        @Binding private var error: AuthError?
        private let options: SignInOptions
        private let label: Label

        /// A button with a label of any kind.
        ///
        /// - Parameters:
        ///   - options: What to ask for.
        ///   - error: Set to what went wrong, and to `nil` when a sign-in begins. A user who closes the sheet is no
        ///     error.
        ///   - label: What the button shows.
        public init(
            options: SignInOptions, error: Binding<AuthError?> = .constant(nil), @ViewBuilder label: () -> Label
        ) {
            self.options = options
            _error = error
            self.label = label()
        }

        public var body: some View {
            Button(action: signIn) { label }
                .disabled(run.isRunning)
        }

        private func signIn() {
            let (auth, scene, options, error) = (model.auth, scene, options, $error)
            run.begin { () async throws(AuthError) in
                try await SceneWindow.present(over: scene) { () async throws(AuthError) in
                    try await auth.authorize(options)
                }
            } report: {
                error.wrappedValue = $0
            }
        }
    }

    extension SignInButton where Label == Text {
        /// A button with a text.
        ///
        /// - Parameters:
        ///   - title: What the button shows, looked up in the app's translations.
        ///   - options: What to ask for.
        ///   - error: As for the button with a label of any kind.
        public init(
            _ title: LocalizedStringKey, options: SignInOptions, error: Binding<AuthError?> = .constant(nil)
        ) {
            self.init(options: options, error: error) { Text(title) }
        }
    }
#endif
