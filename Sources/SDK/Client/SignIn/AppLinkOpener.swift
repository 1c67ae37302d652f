public import KeyturnBase

/// Opens links that belong to other apps: on Apple's systems universal links, and never in a browser.
public protocol AppLinkOpener: Sendable {
    /// Opens a link.
    ///
    /// - Throws: `service.unsupported` if no app takes it.
    func open(_ link: String) async throws(AuthError)
}
