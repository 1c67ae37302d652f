internal import Foundation
internal import KeyturnBase
internal import KeyturnWire

/// URLs as text, as the protocols compare them: byte for byte.
enum URLText {
    /// Adds a query, or adds to the one that is there (RFC 6749 §3.1).
    static func adding(_ parameters: FormParameters, to url: String) -> String {
        guard !parameters.isEmpty else { return url }
        return url + (url.contains("?") ? "&" : "?") + parameters.encoded
    }

    /// Whether requests with secrets may go there: `https`, or plain `http` to this very machine; no user, no
    /// fragment, nothing that a header or a shell would misread.
    static func isAcceptableEndpoint(_ url: String) -> Bool {
        guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.fragment == nil
        else { return false }
        return switch parts.scheme?.lowercased() {
        case "https": true
        case "http": isLoopback(host)
        default: false
        }
    }

    /// Whether `host` is this machine by definition (RFC 8252 §7.3, RFC 6761 §6.3).
    static func isLoopback(_ host: String) -> Bool {
        ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host.lowercased())
    }

    /// Whether `url` is plain `http`.
    static func isPlain(_ url: String) -> Bool {
        url.lowercased().hasPrefix("http:")
    }

    /// Scheme, host and port; `nil` if there is no host.
    static func origin(_ url: String) -> Origin? {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            let host = parts.host?.lowercased(), !host.isEmpty
        else { return nil }
        return Origin(scheme: scheme, host: host, port: parts.port ?? (scheme == "http" ? 80 : 443))
    }

    /// Where a URL belongs (RFC 6454 §4).
    struct Origin: Hashable, Sendable {
        let scheme: String
        let host: String
        let port: Int
    }

    /// The URL that `reference` means where `base` was asked for (RFC 3986 §5).
    static func resolve(_ reference: String, against base: String) -> String? {
        guard let base = URL(string: base), let resolved = URL(string: reference, relativeTo: base) else { return nil }
        return withoutFragment(resolved.absoluteString)
    }

    /// A fragment is never sent.
    static func withoutFragment(_ url: String) -> String {
        String(url.prefix { $0 != "#" })
    }

    /// A URL in two: everything before the query, and the query. `nil` if there is a fragment that is not empty.
    static func split(_ url: String) -> (base: Substring, query: Substring)? {
        let parts = url.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        // Some services append an empty fragment, so that the browser does not carry an older one along.
        guard let first = parts.first, parts.count == 1 || parts[1].isEmpty || parts[1] == "_=_" else { return nil }
        let halves = first.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return (halves[0], halves.count == 2 ? halves[1] : "")
    }
}
