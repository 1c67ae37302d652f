#if os(Linux) || os(macOS)
    public import KeyturnBase
    internal import KeyturnWire

    /// Signs in with the person's own browser and receives the callback on the loopback interface (RFC 8252 §7.3).
    ///
    /// Listens on 127.0.0.1 alone, on a port of the system's choice, for as long as one sign-in lasts. The page that
    /// the person sees at the end loads nothing from anywhere.
    public struct LoopbackBrowserAgent: BrowserAgent {
        private let launch: BrowserLaunch
        private let timeoutSeconds: Int64

        /// An agent that starts the desktop's browser: what `$BROWSER` names, else `xdg-open` (`open` on macOS).
        ///
        /// - Parameters:
        ///   - announce: Called with the URL when no browser can be started; without it that is an error.
        ///   - timeoutSeconds: How long a person may take, in seconds; 1…3600.
        public init(timeoutSeconds: Int64 = 300, announce: (@Sendable (String) -> Void)? = nil) {
            precondition((1...3_600).contains(timeoutSeconds), "a person may take 1...3600 seconds")
            launch = BrowserLaunch(startsBrowser: true, announce: announce)
            self.timeoutSeconds = timeoutSeconds
        }

        private init(launch: BrowserLaunch, timeoutSeconds: Int64) {
            self.launch = launch
            self.timeoutSeconds = timeoutSeconds
        }

        /// An agent that starts nothing: `announce` shows the URL, and the person opens it on this machine.
        ///
        /// - Parameters:
        ///   - timeoutSeconds: How long a person may take, in seconds; 1…3600.
        ///   - announce: Called once with the URL.
        public static func announcing(
            timeoutSeconds: Int64 = 300, _ announce: @escaping @Sendable (String) -> Void
        ) -> LoopbackBrowserAgent {
            precondition((1...3_600).contains(timeoutSeconds), "a person may take 1...3600 seconds")
            return LoopbackBrowserAgent(
                launch: BrowserLaunch(startsBrowser: false, announce: announce), timeoutSeconds: timeoutSeconds)
        }

        /// Starts listening.
        ///
        /// - Parameter redirectURI: `http://127.0.0.1/path` or `http://localhost/path`. A port that is missing or 0
        ///   is chosen now; another is used as it is.
        /// - Throws: `configuration.invalid` for any other redirect URI; `transport.unavailable` if the port is taken.
        public func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
            guard let redirect = LoopbackRedirect(redirectURI) else {
                throw AuthError(
                    .misconfigured,
                    "this agent receives http://127.0.0.1/… only; show the page yourself with startAuthorization")
            }
            return try LoopbackSession(redirectURI: redirect, launch: launch, timeoutSeconds: timeoutSeconds)
        }

        /// Brings the page up, and does not wait: a desktop's browser does not tell when a page is closed.
        public func show(_ url: String) async throws(AuthError) {
            try await launch.show(url)
        }
    }

    /// A redirect URI on the loopback interface, in parts.
    struct LoopbackRedirect: Hashable, Sendable {
        let host: String
        let port: UInt16
        let path: String

        /// `nil` for anything else, a query or a fragment included.
        init?(_ text: String) {
            // The listener is on 127.0.0.1. Other addresses of the machine do not lead there.
            guard let parts = URIParts(text, portMin: 0), let host = parts.host,
                host.address == .loopbackV4 || host.address == nil && host.isLoopback,
                text.hasPrefix("http://\(host.text)"),
                parts.userinfo == nil, parts.query == nil, parts.fragment == nil
            else { return nil }
            self.host = host.text
            port = UInt16(parts.port ?? 0)
            path = parts.path
        }
    }
#endif
