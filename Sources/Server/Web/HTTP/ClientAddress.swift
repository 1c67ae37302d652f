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

    init(trustedProxies: [IPAddressRange]) {
        self.trustedProxies = trustedProxies
    }

    func address(of request: Request, _ context: WebContext) -> NetworkAddress? {
        guard let peer = context.peer.address else { return nil }
        guard !trustedProxies.isEmpty, isTrusted(peer.address), let forwarded = request.headers[.xForwardedFor] else {
            return peer
        }
        // From the right: each trusted proxy appended the address that it saw.
        let hops = forwarded.split(separator: ",").map { $0.filter { $0 != " " } }
        let sender = hops.last { !isTrusted(IPAddress($0)) } ?? hops.first
        return sender.flatMap { IPAddress($0) }.map { NetworkAddress($0) } ?? peer
    }

    /// Whether the connection comes from this machine, but not from a proxy on it.
    func isLocal(_ request: Request, _ context: WebContext) -> Bool {
        guard let peer = context.peer.address, request.headers[.xForwardedFor] == nil else { return false }
        return peer.address?.isLoopback ?? false
    }

    private func isTrusted(_ address: IPAddress?) -> Bool {
        guard let address else { return false }
        return trustedProxies.contains { $0.contains(address) }
    }
}
