internal import Foundation
internal import KeyturnWire

/// The addresses that responses may be sent to (RFC 9700 §4.1, RFC 8252 §7).
public enum RedirectURI {
    /// Whether `uri` is one of `registered`: letter by letter, except the port of a loopback address, which a program
    /// picks when it runs (RFC 8252 §7.3).
    public static func isRegistered(_ uri: String, among registered: [String], anyLoopbackPort: Bool) -> Bool {
        if registered.contains(uri) { return true }
        guard anyLoopbackPort, let parts = loopbackParts(uri) else { return false }
        return registered.contains { candidate in
            guard let other = loopbackParts(candidate) else { return false }
            return other.host == parts.host && other.rest == parts.rest
        }
    }

    /// Why a URI cannot be registered, in a plain sentence; `nil` if it can.
    public static func flaw(in uri: String) -> String? {
        guard let colon = uri.firstIndex(of: ":") else { return "it must be absolute, with a scheme" }
        let scheme = uri[..<colon].lowercased()
        guard isScheme(scheme) else { return "its scheme is not well-formed" }
        if uri.contains("#") { return "it must not have a fragment (RFC 6749 §3.1.2)" }
        if uri.contains("*") { return "wildcards are not allowed: register each address" }
        if uri.utf8.contains(where: { $0 <= 0x20 || $0 >= 0x7F }) { return "it must be plain ASCII without spaces" }
        if ["javascript", "data", "vbscript", "file", "about", "blob"].contains(scheme) {
            return "a \(scheme): address would run in the browser"
        }
        if scheme == "http" || scheme == "https" {
            guard uri[colon...].hasPrefix("://"), let host = host(uri), !host.isEmpty else { return "it has no host" }
            if uri[colon...].prefix(while: { $0 != "?" }).contains("@") { return "it must not have a user name" }
            // Browsers read a backslash as a slash: the host would be another one than it seems.
            if uri.contains("\\") { return "it must not have a backslash" }
            guard isAuthority(uri) else { return "its host has characters that no host name has" }
        }
        if let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first {
            guard let names = try? FormParameters(parsing: query).all.map(\.name) else {
                return "its query cannot be read"
            }
            if let clash = names.first(where: { ["code", "state", "error", "iss"].contains($0) }) {
                return "its query must not have \"\(clash)\": that is what the answer adds"
            }
        }
        return nil
    }

    /// `scheme://host:port` of a web address, as browsers send it in `Origin`; `nil` for any other address.
    public static func webOrigin(_ uri: String) -> String? {
        guard uri.hasPrefix("https://") || uri.hasPrefix("http://"), let start = uri.range(of: "://") else {
            return nil
        }
        let authority = uri[start.upperBound...].prefix { $0 != "/" && $0 != "?" }
        guard !authority.isEmpty, !authority.contains("@") else { return nil }
        return (uri[..<start.upperBound] + authority).lowercased()
    }

    private static func host(_ uri: String) -> Substring? {
        guard let start = uri.range(of: "://") else { return nil }
        let authority = uri[start.upperBound...].prefix { $0 != "/" && $0 != "?" }
        return authority.hasPrefix("[") ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    }

    /// A name, an IPv4 address or an IPv6 address in brackets, with an optional port: nothing that a browser could read
    /// as another host.
    private static func isAuthority(_ uri: String) -> Bool {
        guard let start = uri.range(of: "://"), let host = host(uri) else { return false }
        let rest = uri[start.upperBound...].prefix { $0 != "/" && $0 != "?" }.dropFirst(host.count)
        let isNumber = { (text: Substring) in text.allSatisfy { $0.isASCII && $0.isNumber } }
        guard host.hasPrefix("[") else {
            return host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) }
                && (rest.isEmpty || isNumber(rest.dropFirst()))
        }
        return host.dropFirst().allSatisfy { $0.isASCII && ($0.isHexDigit || ":.".contains($0)) }
            && (rest == "]" || rest.hasPrefix("]:") && isNumber(rest.dropFirst(2)))
    }

    /// The host and what follows the port, if this is plain http to a loopback address.
    private static func loopbackParts(_ uri: String) -> (host: String, rest: String)? {
        for host in ["http://127.0.0.1", "http://[::1]"] where uri.hasPrefix(host) {
            let tail = uri.dropFirst(host.count)
            guard tail.hasPrefix(":") else {
                return tail.isEmpty || tail.hasPrefix("/") || tail.hasPrefix("?") ? (host, String(tail)) : nil
            }
            let port = tail.dropFirst().prefix { $0.isASCII && $0.isNumber }
            guard (1...5).contains(port.count), let number = Int(port), (1...65_535).contains(number) else {
                return nil
            }
            let rest = tail.dropFirst(1 + port.count)
            return rest.isEmpty || rest.hasPrefix("/") || rest.hasPrefix("?") ? (host, String(rest)) : nil
        }
        return nil
    }

    private static func isScheme(_ text: String) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
    }
}
