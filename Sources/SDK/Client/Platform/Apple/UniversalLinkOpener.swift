#if canImport(UIKit) && !os(watchOS)
    internal import Foundation
    public import KeyturnBase
    internal import UIKit

    /// Opens universal links, in apps alone and never in a browser.
    public struct UniversalLinkOpener: AppLinkOpener {
        /// The only one.
        public init() {}

        public func open(_ link: String) async throws(AuthError) {
            guard let url = URL(string: link), await Self.open(url) else {
                throw AuthError(.unsupported, "no app on this device takes the link")
            }
        }

        @MainActor private static func open(_ url: URL) async -> Bool {
            await UIApplication.shared.open(url, options: [.universalLinksOnly: true])
        }
    }
#endif
