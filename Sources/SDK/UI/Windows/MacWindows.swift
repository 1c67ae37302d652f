#if canImport(AppKit) && !targetEnvironment(macCatalyst)
    public import AppKit
    public import Keyturn

    extension Keyturn {
        /// Signs a user in with the browser, over a window of the Mac.
        ///
        /// - Parameters:
        ///   - options: What to ask for.
        ///   - window: One that is shown.
        /// - Throws: As `authorize(_:)`.
        @MainActor @discardableResult
        public func authorize(
            _ options: SignInOptions, from window: NSWindow
        ) async throws(AuthError) -> SignInResult {
            try await PresentationWindow.over(window) { () async throws(AuthError) in
                try await self.authorize(options)
            }
        }
    }
#endif
