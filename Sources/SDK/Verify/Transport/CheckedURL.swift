#if canImport(FoundationEssentials)
    public import struct FoundationEssentials.URL
#else
    public import struct Foundation.URL
#endif
public import KeyturnBase

extension HTTPRequest {
    /// The URL, if it may be used: absolute, `https`, with neither user nor fragment.
    ///
    /// Plain `http` is for this machine alone (`localhost`, `127.0.0.0/8`, `[::1]`), where the network cannot listen.
    ///
    /// - Parameter allowInsecureRequests: Permits plain `http` to anywhere. Every token sent is then public.
    /// - Throws: `configuration.invalid`. The URL is not in the error.
    public func checkedURL(allowInsecureRequests: Bool = false) throws(AuthError) -> URL {
        guard let parsed = URL(string: url), let host = parsed.host, !host.isEmpty else {
            throw AuthError(.misconfigured, "a URL is not absolute")
        }
        guard parsed.user == nil, parsed.password == nil, parsed.fragment == nil else {
            throw AuthError(.misconfigured, "a URL holds a user or a fragment")
        }
        switch parsed.scheme?.lowercased() {
        case "https": return parsed
        case "http" where allowInsecureRequests || Self.isLoopback(host): return parsed
        case "http": throw AuthError(.misconfigured, "plain http is allowed for loopback addresses only; use https")
        default: throw AuthError(.misconfigured, "a URL is neither https nor http")
        }
    }

    /// Whether `host` is this machine, without asking any name server.
    static func isLoopback(_ host: String) -> Bool {
        let host = host.lowercased()
        if host == "localhost" || host == "::1" || host == "[::1]" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { (1...3).contains($0.utf8.count) && UInt8($0) != nil }
    }
}
