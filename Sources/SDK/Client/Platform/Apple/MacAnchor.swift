#if canImport(AuthenticationServices) && canImport(AppKit) && !targetEnvironment(macCatalyst)
    internal import AppKit
    internal import AuthenticationServices

    /// The window to show a sheet over on the Mac, where the app names none.
    enum MacAnchor {
        /// The window that takes keys, or else the main one or any that can be seen; `nil` if there is none.
        @MainActor static func find() -> ASPresentationAnchor? {
            let application = NSApplication.shared
            return application.keyWindow ?? application.mainWindow ?? application.windows.first { $0.isVisible }
        }
    }
#endif
