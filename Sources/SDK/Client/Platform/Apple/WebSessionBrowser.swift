// tvOS and watchOS have the session, but no window to show it in.
#if canImport(AuthenticationServices) && !os(tvOS) && !os(watchOS)
    public import AuthenticationServices
    internal import Foundation
    public import KeyturnBase

    /// Signs in with the system's browser sheet (`ASWebAuthenticationSession`; RFC 8252 §6).
    ///
    /// The sheet belongs to the system: the app sees neither pages nor passwords, and only the callback comes back. It
    /// shares its cookies with the browser, so that a person who is signed in there need not do it again, and the
    /// system asks first whether the app may; ephemeral sheets do neither.
    public struct WebSessionBrowser: BrowserAgent {
        private let isEphemeral: Bool
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?

        /// An agent that shows its sheet over a window of the app.
        ///
        /// - Parameters:
        ///   - isEphemeral: Shares no cookies with the browser and keeps none.
        ///   - anchor: The window to show the sheet over, asked for each time; `nil` if there is none now.
        public init(isEphemeral: Bool = false, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?) {
            self.isEphemeral = isEphemeral
            self.anchor = anchor
        }

        /// Checks that a sheet can receive the redirect URI. Shows nothing yet.
        ///
        /// - Parameter redirectURI: `scheme:…` with a scheme of the app's own, or `https://…` on a domain that is
        ///   associated with the app under `webcredentials`, from iOS 17.4 and visionOS 1.1 on.
        /// - Throws: `configuration.invalid` for any other; `service.unsupported` if the system is older than that.
        public func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            guard let callback = WebCallback(redirectURI: redirectURI) else {
                throw AuthError(.misconfigured, "the browser sheet receives https://… and schemes of the app's own")
            }
            if case .page = callback {
                guard #available(iOS 17.4, visionOS 1.1, *) else {
                    throw AuthError(.unsupported, "https callbacks need iOS 17.4; use a scheme of the app's own")
                }
            }
            return await WebSession(
                redirectURI: redirectURI, callback: callback, isEphemeral: isEphemeral, anchor: anchor)
        }
    }
#endif
