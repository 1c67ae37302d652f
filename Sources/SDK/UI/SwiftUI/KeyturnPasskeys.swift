#if canImport(SwiftUI)
    public import Keyturn
    public import SwiftUI

    extension View {
        /// Offers passkeys above the keyboard as long as this view is shown: for what contains the field of a username.
        ///
        /// The field needs `.textContentType(.username)`; without it the system offers nothing. Where the system has no
        /// such offers nothing happens, nor does a failure show. Needs
        /// ``keyturn(_:magicLinkURL:onOtherURL:)`` above it, and a service with a publishable key.
        ///
        /// - Parameter onToken: Called when the user has taken a passkey: give the token to the app's backend.
        public func keyturnPasskeys(onToken: @escaping @MainActor (PasskeyTokenInfo) async -> Void) -> some View {
            modifier(KeyturnPasskeys(onToken: onToken))
        }
    }

    struct KeyturnPasskeys: ViewModifier {
        @Environment(KeyturnModel.self) private var model
        @Environment(\.sceneWindow) private var scene
        let onToken: @MainActor (PasskeyTokenInfo) async -> Void

        func body(content: Content) -> some View {
            content.task {
                // Fails only if the offer does, which shows no failure.
                try? await SceneWindow.present(over: scene) { () async throws(AuthError) in
                    await PasskeyOffer.run(model.auth, onToken: onToken)
                }
            }
        }
    }
#endif
