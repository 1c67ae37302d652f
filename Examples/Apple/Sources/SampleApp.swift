import Keyturn
import KeyturnUI
import SwiftUI

/// What is the app's own: the rest of this folder need not be changed.
enum Settings {
    static let issuer = "https://id.example.com"
    static let clientID = "sample"
    /// For passkeys that end with a session; see the server's configuration.
    static let projectID = "P1"
    /// For passkeys that are offered above the keyboard, and end with a token for the app's backend.
    static let publishableKey: String? = nil
    /// A scheme of the app's own. Nothing has to be declared for it in Info.plist.
    static let redirectURI = "com.example.sample://callback"

    static var signIn: SignInOptions { SignInOptions(redirectURI: redirectURI) }
}

@main
struct SampleApp: App {
    @State private var auth = Keyturn(
        .keyturn(
            issuer: Settings.issuer, clientID: Settings.clientID, projectID: Settings.projectID,
            publishableKey: Settings.publishableKey))

    var body: some Scene {
        WindowGroup {
            RootView().keyturn(auth)
        }
    }
}
