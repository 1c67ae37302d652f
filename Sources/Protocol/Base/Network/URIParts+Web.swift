/// What pages, endpoints and origins ask of a URI.
extension URIParts {
    /// Whether it is one of `https` or `http`.
    public var isWeb: Bool { scheme == "https" || scheme == "http" }

    /// The origin as browsers write it in `Origin` (RFC 6454 §6.2): lower case, and without the port that the scheme
    /// means anyway. `nil` without a host, for a user name, and for any scheme but `https` and `http`.
    public var origin: String? {
        guard isWeb, userinfo == nil, let host else { return nil }
        let isDefault = port == nil || port == (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(host.authority)" + (isDefault ? "" : ":\(port ?? 0)")
    }

    /// The origin of a text; `nil` if it is no URI, or has none.
    public static func origin(of text: String) -> String? { URIParts(text)?.origin }

    /// Whether only this machine can answer there: ``URIHost/isLoopback``.
    public var isLoopback: Bool { host?.isLoopback ?? false }

    /// Whether browsers stay on this machine for it: ``URIHost/isLoopbackInBrowsers``.
    public var isLoopbackInBrowsers: Bool { host?.isLoopbackInBrowsers ?? false }

    /// Whether requests with secrets may go there: `https`, or `http` to this very machine; with a host, and with
    /// neither a user nor a fragment.
    public var isProtectedEndpoint: Bool {
        host != nil && userinfo == nil && fragment == nil && (scheme == "https" || scheme == "http" && isLoopback)
    }
}
