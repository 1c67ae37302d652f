public import KeyturnBase

/// Where a request comes from, for rate limits.
public struct NetworkAddress: Hashable, Sendable {
    /// `nil` if the text that it was made from is no address.
    public let address: IPAddress?
    /// The address as it is logged and shown. An IPv4 address mapped to IPv6 is written as IPv4.
    public let text: String
    /// The network that one sender controls: a whole IPv4 address, the first 64 bits of an IPv6 address.
    public let network: String

    /// What one internet connection has: a whole IPv4 address, the first 48 bits of an IPv6 address.
    public var site: String {
        guard network.hasSuffix("::/64") else { return network }
        return network.split(separator: ":").prefix(3).joined(separator: ":") + "::/48"
    }

    /// Reads an address as the system writes it. A zone is dropped: it belongs to this machine, not to the sender. A
    /// text that is no address is a network of its own.
    public init(_ text: String) {
        guard let address = IPAddress(ignoringZone: text) else {
            self.init(address: nil, text: text, network: text)
            return
        }
        self.init(address)
    }

    /// The network of an address.
    public init(_ address: IPAddress) {
        let text = address.description
        self.init(address: address, text: text, network: address.isIPv4 ? text : Self.prefix(of: address))
    }

    private init(address: IPAddress?, text: String, network: String) {
        self.address = address
        self.text = text
        self.network = network
    }

    private static func prefix(of address: IPAddress) -> String {
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(address.bytes[index]) << 8 | UInt16(address.bytes[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":") + "::/64"
    }
}
