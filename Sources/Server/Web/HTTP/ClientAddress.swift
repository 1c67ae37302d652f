internal import HTTPTypes
internal import KeyturnBase
internal import Model
internal import NIOCore

/// Finds out where a request comes from: the peer of the connection, unless the operator named it as a proxy.
///
/// A forwarding header from any other peer is ignored: an attacker who could set it could choose the rate limit that
/// counts the guesses.
struct ClientAddress: Sendable {
    private let trustedProxies: [IPAddressRange]
    /// The host of the server's own address, if browsers stay on this machine for it.
    private let ownHost: URIHost?
    private let reports: ForwardingReports

    init(trustedProxies: [IPAddressRange], issuer: String, reports: ForwardingReports) {
        self.trustedProxies = trustedProxies
        self.reports = reports
        ownHost = URIParts(issuer)?.host.flatMap { $0.isLoopbackInBrowsers ? $0 : nil }
    }

    /// - Returns: `nil` for a client whose proxy does not say where it is. It never has the proxy's own address, which
    ///   would make all clients one another's neighbours: rate limits count all such clients as one network, and no
    ///   account knows that network.
    func address(of request: Request, _ context: WebContext) -> NetworkAddress? {
        guard let peer = context.peer.address else { return nil }
        guard !trustedProxies.isEmpty, let proxy = peer.address, isTrusted(proxy) else { return peer }
        guard let forwarded = request.headers[.xForwardedFor] else {
            // A program on the proxy's machine may ask without the proxy.
            return isLocal(request, context) ? peer : unknownClient(context)
        }
        // From the right: each trusted proxy appended the address that it saw.
        let hops = ForwardedFor.hops(forwarded)
        let place = hops.lastIndex { $0.map { !isTrusted($0) } ?? true } ?? hops.startIndex
        guard place < hops.endIndex, let address = hops[place] else { return unknownClient(context) }
        return NetworkAddress(address)
    }

    /// Whether the connection comes from this machine, for this machine, and not through a proxy on it.
    ///
    /// A page of another site, in a browser on this machine, can have its own name resolve to this machine; its requests
    /// then have that name in `Host`. A proxy that hides itself still names what it asks for: nginx speaks HTTP/1.0 to
    /// a server behind it unless told otherwise, and no monitoring does.
    func isLocal(_ request: Request, _ context: WebContext) -> Bool {
        guard let peer = context.peer.address?.address, peer.isLoopback, !request.isOldVersion,
            let host = request.headers.host.flatMap(Self.host), isOwn(host),
            request.target.isOrigin || request.target.host.map(isOwn) ?? false
        else { return false }
        return !request.headers.isForwarded
    }

    private func isOwn(_ host: URIHost) -> Bool { host.isLoopback || host == ownHost }

    /// The host of a `Host` field, which ``RequestHead`` has let pass.
    private static func host(_ field: String) -> URIHost? {
        guard field.utf8.first == UInt8(ascii: "[") else {
            return URIHost(String(field.prefix { $0 != ":" }))
        }
        let text = field.dropFirst().prefix { $0 != "]" }
        // Only an address of IPv6 has brackets.
        return text.contains(":") ? URIHost(String(text)) : nil
    }

    private func unknownClient(_ context: WebContext) -> NetworkAddress? {
        reports.unknownClient(context.logger)
        return nil
    }

    private func isTrusted(_ address: IPAddress) -> Bool {
        trustedProxies.contains { $0.contains(address) }
    }
}
