internal import HTTPTypes
internal import Hummingbird
internal import Identity
internal import NIOCore

/// Finds out where a request comes from: the peer of the connection, unless that is a proxy that the operator named.
///
/// A forwarding header from anybody else is ignored: whoever could set it could choose which budget their guesses
/// are counted on.
struct ClientAddress: Sendable {
    private let trustedProxies: [AddressRange]

    init(trustedProxies: [AddressRange]) {
        self.trustedProxies = trustedProxies
    }

    func address(of request: Request, _ context: WebContext) -> NetworkAddress? {
        guard let peer = context.remoteAddress?.ipAddress else { return nil }
        guard isTrusted(peer), let forwarded = request.headers[.xForwardedFor] else { return NetworkAddress(peer) }
        // From the right: each trusted proxy appended the address that it saw.
        let hops = forwarded.split(separator: ",").map { $0.filter { $0 != " " } }
        let sender = hops.last { !isTrusted($0) } ?? hops.first
        return sender.flatMap { NetworkAddress.bytes(of: $0) == nil ? nil : NetworkAddress($0) } ?? NetworkAddress(peer)
    }

    /// Whether the connection comes from this machine, and from no proxy on it.
    func isLocal(_ request: Request, _ context: WebContext) -> Bool {
        guard let peer = context.remoteAddress?.ipAddress, request.headers[.xForwardedFor] == nil else { return false }
        return AddressRange.loopback.contains { $0.contains(peer) }
    }

    private func isTrusted(_ text: String) -> Bool {
        trustedProxies.contains { $0.contains(text) }
    }
}

/// A range of addresses, in CIDR notation (RFC 4632).
public struct AddressRange: Hashable, Sendable {
    private let prefix: [UInt8]
    private let bits: Int

    /// The addresses of this machine to itself.
    static let loopback = ["127.0.0.0/8", "::1"].compactMap(AddressRange.init)

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. `nil` if it is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let bytes = NetworkAddress.bytes(of: String(first)) else { return nil }
        let bits = parts.count == 2 ? Int(parts[1]) : bytes.count * 8
        guard let bits, (0...bytes.count * 8).contains(bits) else { return nil }
        prefix = bytes
        self.bits = bits
    }

    func contains(_ text: String) -> Bool {
        guard let bytes = NetworkAddress.bytes(of: text), bytes.count == prefix.count else { return false }
        return (0..<bits).allSatisfy { bit in
            (bytes[bit / 8] ^ prefix[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}
