internal import KeyturnBase

/// The browser that this platform offers when the app brings none.
enum PlatformBrowser {
    static func make(for service: Service) -> any BrowserAgent {
        #if os(macOS)
            // An app in a sandbox may neither listen nor start a program.
            guard AppleProgram.isApp else { return LoopbackBrowserAgent() }
            return WebSessionBrowser(isEphemeral: isEphemeral(service)) { MacAnchor.find() }
        #elseif os(iOS) || os(visionOS)
            WebSessionBrowser(isEphemeral: isEphemeral(service)) { AppleAnchor.find() }
        #elseif os(Linux)
            LoopbackBrowserAgent()
        #else
            NoBrowserAgent()
        #endif
    }

    #if os(macOS) || os(iOS) || os(visionOS)
        /// Trifork's own library shares no cookies with the browser.
        private static func isEphemeral(_ service: Service) -> Bool { service.kind == .tim }
    #endif
}

/// Stands where no browser is known yet: the app shows the page by itself.
struct NoBrowserAgent: BrowserAgent {
    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        throw AuthError(
            .unsupported, "pass a BrowserAgent, or show the page yourself with startAuthorization")
    }
}
