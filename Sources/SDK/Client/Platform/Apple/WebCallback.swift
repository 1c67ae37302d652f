#if canImport(AuthenticationServices)
    internal import KeyturnBase

    /// A redirect URI as a browser sheet watches for it.
    enum WebCallback: Hashable, Sendable {
        /// A scheme of the app's own (RFC 8252 §7.1).
        case scheme(String)
        /// A page of a domain that is associated with the app (RFC 8252 §7.2).
        case page(host: String, path: String)

        /// `nil` for what no sheet can receive: `http`, schemes of the system, fragments, ports and users in a page's
        /// URL.
        init?(redirectURI: String) {
            guard let parts = URIParts(redirectURI), parts.fragment == nil else { return nil }
            if parts.scheme == "https" {
                guard let host = parts.host, parts.port == nil, parts.userinfo == nil else { return nil }
                self = .page(host: host.text, path: parts.path.isEmpty ? "/" : parts.path)
            } else {
                guard !Self.taken.contains(parts.scheme) else { return nil }
                self = .scheme(parts.scheme)
            }
        }

        /// What cannot be an app's own.
        private static let taken: Set<String> = [
            "http", "file", "ftp", "data", "blob", "about", "javascript", "mailto", "tel", "sms", "ws", "wss",
        ]
    }
#endif
