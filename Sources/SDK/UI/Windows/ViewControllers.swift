#if canImport(UIKit) && !os(watchOS)
    public import Keyturn
    public import UIKit

    extension Keyturn {
        /// Signs a user in with the browser, over the window of a view controller.
        ///
        /// - Parameters:
        ///   - options: What to ask for.
        ///   - viewController: One whose view is shown.
        /// - Throws: `configuration.invalid` if its view is in no window; otherwise as `authorize(_:)`.
        @MainActor @discardableResult
        public func authorize(
            _ options: SignInOptions, from viewController: UIViewController
        ) async throws(AuthError) -> SignInResult {
            try await present(from: viewController) { () async throws(AuthError) in try await self.authorize(options) }
        }

        /// Runs anything that shows a sheet of the system, over the window of a view controller.
        ///
        /// ```swift
        /// try await auth.present(from: self) { () async throws(AuthError) in try await auth.passkeys.signIn() }
        /// ```
        ///
        /// - Parameters:
        ///   - viewController: One whose view is shown.
        ///   - operation: What may show sheets.
        /// - Throws: `configuration.invalid` if its view is in no window; otherwise what `operation` throws.
        @MainActor
        public func present<Value>(
            from viewController: UIViewController, _ operation: @MainActor () async throws(AuthError) -> Value
        ) async throws(AuthError) -> Value {
            guard let window = viewController.viewIfLoaded?.window else {
                throw AuthError(.misconfigured, "the view controller is in no window")
            }
            return try await PresentationWindow.over(window) { () async throws(AuthError) in try await operation() }
        }

        /// Takes an address that a scene was opened with: each one of `scene(_:openURLContexts:)`, and of
        /// `connectionOptions.urlContexts` in `scene(_:willConnectTo:options:)`.
        ///
        /// - Parameters:
        ///   - context: What the system brought.
        ///   - magicLinkURL: Where this app's magic links lead; `nil`: to no place in the app.
        /// - Returns: Whether the address was this container's.
        /// - Throws: As `handle(url:magicLinkURL:)`.
        @MainActor
        public func handle(
            _ context: UIOpenURLContext, magicLinkURL: String? = nil
        ) async throws(AuthError) -> Bool {
            try await handle(url: context.url.absoluteString, magicLinkURL: magicLinkURL)
        }

        /// Takes a universal link: in `scene(_:continue:)`, and `connectionOptions.userActivities` in
        /// `scene(_:willConnectTo:options:)`.
        ///
        /// - Parameters:
        ///   - activity: What the system brought.
        ///   - magicLinkURL: Where this app's magic links lead; `nil`: to no place in the app.
        /// - Returns: Whether it was a link of this container's.
        /// - Throws: As `handle(url:magicLinkURL:)`.
        @MainActor
        public func handle(
            _ activity: NSUserActivity, magicLinkURL: String? = nil
        ) async throws(AuthError) -> Bool {
            guard activity.activityType == NSUserActivityTypeBrowsingWeb, let url = activity.webpageURL else {
                return false
            }
            return try await handle(url: url.absoluteString, magicLinkURL: magicLinkURL)
        }
    }
#endif
