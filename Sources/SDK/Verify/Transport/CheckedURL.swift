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
        guard let parts = URIParts(url, bytesMax: .max), parts.host != nil, let parsed = URL(string: url) else {
            throw AuthError(.misconfigured, "a URL is not absolute, or not well-formed")
        }
        guard parts.userinfo == nil, parts.fragment == nil else {
            throw AuthError(.misconfigured, "a URL holds a user or a fragment")
        }
        guard parts.isWeb else { throw AuthError(.misconfigured, "a URL is neither https nor http") }
        guard allowInsecureRequests || parts.isProtectedEndpoint else {
            throw AuthError(.misconfigured, "plain http is allowed for loopback addresses only; use https")
        }
        return parsed
    }
}
