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
        URIParts(url)?.isProtectedEndpoint ?? false
    }

    /// Whether `url` is plain `http`.
    static func isPlain(_ url: String) -> Bool {
        url.lowercased().hasPrefix("http:")
    }

    /// Where a URL of any length belongs (RFC 6454 §4); `nil` if that is not the web.
    static func origin(_ url: String) -> String? {
        URIParts(url, bytesMax: .max)?.origin
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
