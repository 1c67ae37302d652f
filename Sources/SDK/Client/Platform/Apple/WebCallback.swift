#if canImport(AuthenticationServices)
    internal import Foundation

    /// A redirect URI as a browser sheet watches for it.
    enum WebCallback: Hashable, Sendable {
        /// A scheme of the app's own (RFC 8252 §7.1).
        case scheme(String)
        /// A page of a domain that is associated with the app (RFC 8252 §7.2).
        case page(host: String, path: String)

        /// `nil` for what no sheet can receive: `http`, schemes of the system, fragments, ports and users in a page's
        /// URL.
        init?(redirectURI: String) {
            guard redirectURI.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !redirectURI.contains("#"),
                let parts = URLComponents(string: redirectURI), let scheme = parts.scheme?.lowercased()
            else { return nil }
            if scheme == "https" {
                guard let host = parts.host, !host.isEmpty, parts.port == nil, parts.user == nil, parts.password == nil
                else { return nil }
                self = .page(host: host, path: parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath)
            } else {
                guard !Self.taken.contains(scheme) else { return nil }
                self = .scheme(scheme)
            }
        }

        /// What cannot be an app's own.
        private static let taken: Set<String> = [
            "http", "file", "ftp", "data", "blob", "about", "javascript", "mailto", "tel", "sms", "ws", "wss",
        ]
    }
#endif
