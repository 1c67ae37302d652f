internal import KeyturnBase

/// The browser that this platform offers when the app brings none.
enum PlatformBrowser {
    static func make() -> any BrowserAgent {
        #if os(Linux) || os(macOS)
            LoopbackBrowserAgent()
        #else
            NoBrowserAgent()
        #endif
    }
}

/// Stands where no browser is known yet: the app shows the page by itself.
struct NoBrowserAgent: BrowserAgent {
    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        throw AuthError(
            .unsupported, "pass a BrowserAgent, or show the page yourself with startAuthorization")
    }
}
