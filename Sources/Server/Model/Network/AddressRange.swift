/// A range of addresses, in CIDR notation (RFC 4632).
public struct AddressRange: Hashable, Sendable {
    private let prefix: [UInt8]
    private let bits: Int

    /// The loopback addresses.
    public static let loopback = ["127.0.0.0/8", "::1"].compactMap(AddressRange.init)

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. `nil` if it is neither.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let bytes = NetworkAddress.bytes(of: String(first)) else { return nil }
        let bits = parts.count == 2 ? Int(parts[1]) : bytes.count * 8
        guard let bits, (0...bytes.count * 8).contains(bits) else { return nil }
        prefix = bytes
        self.bits = bits
    }

    /// Whether an address is in the range; `false` if the text is no address.
    public func contains(_ text: String) -> Bool {
        guard let bytes = NetworkAddress.bytes(of: text), bytes.count == prefix.count else { return false }
        return (0..<bits).allSatisfy { bit in
            (bytes[bit / 8] ^ prefix[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}
