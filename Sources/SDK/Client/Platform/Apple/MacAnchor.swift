#if canImport(AuthenticationServices) && canImport(AppKit) && !targetEnvironment(macCatalyst)
    internal import AppKit
    internal import AuthenticationServices

    /// The window to show a sheet over on the Mac, where the app brings no agent of its own.
    enum MacAnchor {
        /// The window that was named for this task, or else the one that takes keys, the main one or any that can be
        /// seen; `nil` if there is none.
        @MainActor static func find() -> ASPresentationAnchor? {
            if let window = PresentationWindow.current as? ASPresentationAnchor { return window }
            let application = NSApplication.shared
            return application.keyWindow ?? application.mainWindow ?? application.windows.first { $0.isVisible }
        }
    }
#endif
