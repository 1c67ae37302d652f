internal import KeyturnBase

/// The browser that this platform offers when the app brings none.
enum PlatformBrowser {
    static func make(for service: Service) -> any BrowserAgent {
        make(isEphemeral: service.kind == .tim || service.wire.authgear?.isSSOEnabled == false)
    }

    /// The same for the settings. Authgear's are opened with a copy of the app's session, which is not to stay in the
    /// browser.
    static func makeForSettings(of service: Service) -> any BrowserAgent {
        service.wire.authgear == nil ? make(for: service) : make(isEphemeral: true)
    }

    /// - Parameter isEphemeral: Whether a sheet shares no cookies with the browser. Trifork's own library never does, and
    ///   Authgear's only where apps share a sign-in.
    private static func make(isEphemeral: Bool) -> any BrowserAgent {
        #if os(macOS)
            // An app in a sandbox may neither listen nor start a program.
            guard AppleProgram.isApp else { return LoopbackBrowserAgent() }
            return WebSessionBrowser(isEphemeral: isEphemeral) { MacAnchor.find() }
        #elseif os(iOS) || os(visionOS)
            WebSessionBrowser(isEphemeral: isEphemeral) { AppleAnchor.find() }
        #elseif os(Linux)
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
