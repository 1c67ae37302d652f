internal import Foundation

/// Where a request comes from, for rate limits.
public struct NetworkAddress: Hashable, Sendable {
    /// The address as it is logged and shown. An IPv4 address mapped to IPv6 is written as IPv4.
    public let text: String
    /// The network that one sender controls: a whole IPv4 address, the first 64 bits of an IPv6 address.
    public let network: String

    /// What one internet connection has: a whole IPv4 address, the first 48 bits of an IPv6 address.
    public var site: String {
        guard network.hasSuffix("::/64") else { return network }
        return network.split(separator: ":").prefix(3).joined(separator: ":") + "::/48"
    }

    public init(_ text: String) {
        // A zone belongs to this machine, not to the sender.
        guard let bytes = Self.bytes(of: String(text.prefix { $0 != "%" })) else {
            self.text = text
            network = text
            return
        }
        guard bytes.count == 16 else {
            let dotted = bytes.map(String.init).joined(separator: ".")
            self.text = dotted
            network = dotted
            return
        }
        self.text = text
        let groups = stride(from: 0, to: 8, by: 2).map { index in
            String(UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]), radix: 16)
        }
        network = groups.joined(separator: ":") + "::/64"
    }

    /// 4 or 16 bytes; an IPv4 address mapped to IPv6 (RFC 4291 §2.5.5.2) counts as IPv4. `nil` for anything but an
    /// address.
    public static func bytes(of text: String) -> [UInt8]? {
        var v4 = [UInt8](repeating: 0, count: 4)
        if unsafe inet_pton(AF_INET, text, &v4) == 1 { return v4 }
        var v6 = [UInt8](repeating: 0, count: 16)
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return Array(v6[..<12]) == mapped ? Array(v6[12...]) : v6
    }
}
