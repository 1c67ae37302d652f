#if canImport(AuthenticationServices) && canImport(UIKit) && !os(watchOS)
    internal import AuthenticationServices
    internal import Foundation
    internal import UIKit

    /// The window to show a sheet over, where the app brings no agent of its own.
    enum AppleAnchor {
        /// The window that was named for this task, or else the key window of the scene that is in front, or of one that is
        /// behind a sheet; `nil` if there is none, as in an extension.
        @MainActor static func find() -> ASPresentationAnchor? {
            if let window = PresentationWindow.current as? ASPresentationAnchor { return window }
            guard let application else { return nil }
            let scenes = application.connectedScenes.compactMap { $0 as? UIWindowScene }
            for state in [UIScene.ActivationState.foregroundActive, .foregroundInactive] {
                for scene in scenes where scene.activationState == state {
                    if let window = scene.keyWindow ?? scene.windows.first(where: { !$0.isHidden }) { return window }
                }
            }
            return nil
        }

        /// Extensions have no application, and code for them may not name its property; so it is asked for by selector.
        @MainActor private static var application: UIApplication? {
            let selector = NSSelectorFromString("sharedApplication")
            guard !Bundle.main.bundlePath.hasSuffix(".appex"), UIApplication.responds(to: selector) else { return nil }
            return unsafe UIApplication.perform(selector)?.takeUnretainedValue() as? UIApplication
        }
    }
#endif
