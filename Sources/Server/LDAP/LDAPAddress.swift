internal import KeyturnBase

/// The address of a directory: `ldaps://host[:port]` or `ldap://host[:port]`.
struct LDAPAddress: Hashable, Sendable {
    /// As libldap takes it, without path and query.
    let text: String
    /// TLS from the first byte, and not by StartTLS.
    let isImplicitTLS: Bool
    /// The way stays on this machine, so that a password may go without TLS.
    let isLoopback: Bool

    /// - Returns: `nil` for any other address.
    init?(_ text: String) {
        guard let parts = URIParts(text), let host = parts.host, ["ldap", "ldaps"].contains(parts.scheme),
            ["", "/"].contains(parts.path), parts.userinfo == nil, parts.query == nil, parts.fragment == nil
        else { return nil }
        isImplicitTLS = parts.scheme == "ldaps"
        isLoopback = host.isLoopbackInBrowsers
        self.text = text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
