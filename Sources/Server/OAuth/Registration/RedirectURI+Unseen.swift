internal import Model

/// Addresses of clients that the operator has not checked.
extension RedirectURI {
    /// Why such a client cannot have an address, beside ``flaw(in:)``; `nil` if it can.
    static func flaw(inUnseen uri: String, native: Bool) -> String? {
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        switch scheme {
        case "https": return nil
        case "http":
            return isLoopback(uri) ? nil : "http is readable on the way: https, or a loopback address"
        default:
            guard native else { return "a scheme of one's own is for application_type native" }
            // RFC 8252 §7.1: the client's own domain name, reversed.
            return isDomainTurnedRound(scheme) ? nil : "a scheme of one's own is a domain turned round: com.example.app"
        }
    }

    /// Whether a program on the same machine listens there.
    static func isLoopback(_ uri: String) -> Bool {
        ["http://127.0.0.1", "http://[::1]", "http://localhost"].contains { host in
            uri.hasPrefix(host) && [nil, ":", "/", "?"].contains(uri.dropFirst(host.count).first)
        }
    }

    /// Where a browser goes for a web address, however it is written: lower case, without the default port and without
    /// a dot at the end of the name. `nil` for any other address.
    static func browserOrigin(_ uri: String) -> String? {
        let scheme = uri.prefix { $0 != ":" }.lowercased()
        guard let origin = webOrigin(scheme + uri.dropFirst(scheme.count)) else { return nil }
        let port = origin.reversed().prefix { $0.isASCII && $0.isNumber }.reversed().map(String.init).joined()
        let hasPort = origin.dropLast(port.count).hasSuffix(":")
        var host = hasPort ? origin.dropLast(port.count + 1) : origin[...]
        if host.hasSuffix(".") { host.removeLast() }
        let goesWithoutSaying = !hasPort || port.isEmpty || port == (scheme == "https" ? "443" : "80")
        return goesWithoutSaying ? String(host) : "\(host):\(port)"
    }

    /// Schemes that browsers and systems already use.
    private static let takenLabels: Set<Substring> = [
        "javascript", "data", "vbscript", "file", "about", "blob", "intent",
    ]

    private static func isDomainTurnedRound(_ scheme: String) -> Bool {
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let first = labels.first, !takenLabels.contains(first), !first.hasPrefix("ms-") else {
            return false
        }
        return labels.allSatisfy { label in
            !label.isEmpty && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}
