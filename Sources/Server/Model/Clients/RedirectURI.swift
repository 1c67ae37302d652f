internal import KeyturnBase
internal import KeyturnWire

/// The addresses that responses may be sent to (RFC 9700 §4.1, RFC 8252 §7).
public enum RedirectURI {
    /// Why a URI cannot be registered. Its description is a plain sentence without a full stop.
    public enum Flaw: Hashable, Sendable {
        /// It is no absolute URI, or holds what browsers and servers could read in two ways.
        case malformed
        case wildcard
        /// The scheme is executed or opened by browsers themselves.
        case scheme(String)
        case fragment
        case userName
        /// `http` or `https` without a host.
        case host
        case query
        /// The query has a parameter that the answer adds.
        case responseParameter(String)
    }

    /// Whether `uri` is one of `registered`: letter by letter, except the port of a loopback address, which a program
    /// picks when it runs (RFC 8252 §7.3).
    public static func isRegistered(_ uri: String, among registered: [String], anyLoopbackPort: Bool) -> Bool {
        if registered.contains(uri) { return true }
        guard anyLoopbackPort, let target = LoopbackTarget(uri) else { return false }
        return registered.contains { LoopbackTarget($0) == target }
    }

    /// Why a URI cannot be registered; `nil` if it can.
    public static func flaw(in uri: String) -> Flaw? {
        if uri.contains("*") { return .wildcard }
        guard let parts = URIParts(uri) else { return .malformed }
        if dangerousSchemes.contains(parts.scheme) { return .scheme(parts.scheme) }
        if parts.fragment != nil { return .fragment }
        if parts.userinfo != nil { return .userName }
        if parts.isWeb, parts.host == nil { return .host }
        guard let query = parts.query else { return nil }
        guard let names = try? FormParameters(parsing: query).all.map(\.name) else { return .query }
        return names.first(where: responseParameters.contains).map(Flaw.responseParameter)
    }

    /// Schemes that a browser executes or opens itself, instead of handing the address to an application.
    private static let dangerousSchemes: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source",
    ]

    /// Parameters that the server adds to a redirection (RFC 6749 §4.1.2, RFC 9207 §2, OpenID Connect Session
    /// Management §2); a client that reads the first of two would read its own.
    private static let responseParameters: Set<String> = [
        "code", "state", "error", "error_description", "error_uri", "iss", "response", "session_state",
    ]

    /// A URI of plain http to 127.0.0.1 or ::1, apart from its port.
    private struct LoopbackTarget: Hashable {
        let address: IPAddress
        let path: String
        let query: String?

        init?(_ uri: String) {
            guard let parts = URIParts(uri), let host = parts.host, let address = host.address,
                [.loopbackV4, .loopbackV6].contains(address), parts.userinfo == nil, parts.fragment == nil,
                // In its one spelling.
                uri.hasPrefix("http://\(host.authority)")
            else { return nil }
            self.address = address
            path = parts.path
            query = parts.query
        }
    }
}

extension RedirectURI.Flaw: CustomStringConvertible {
    public var description: String {
        switch self {
        case .malformed: "it is not an absolute URI of plain ASCII, with special characters percent-encoded"
        case .wildcard: "wildcards are not allowed: register each address"
        case .scheme(let scheme): "a \(scheme): address would run in the browser"
        case .fragment: "it must not have a fragment (RFC 6749 §3.1.2)"
        case .userName: "it must not have a user name"
        case .host: "it has no host"
        case .query: "its query cannot be read"
        case .responseParameter(let name): "its query must not have \"\(name)\": that is what the answer adds"
        }
    }
}
