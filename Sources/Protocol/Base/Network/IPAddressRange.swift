/// A range of addresses, in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3). A single address is a range of one.
public struct IPAddressRange: Hashable, Sendable, CustomStringConvertible {
    /// The first address of the range.
    public let first: IPAddress
    /// How many leading bits all addresses of the range share: 0 to 32, or 0 to 128.
    public let prefixLength: Int

    /// Why a text is no range.
    public enum Problem: Error, Hashable, Sendable {
        /// What stands before the slash is no address, or there are two slashes.
        case address
        /// What stands behind the slash is no number from 0 to `max`.
        case prefixLength(max: Int)
        /// The address has bits set behind the first `length`: it is not the first of the range.
        case bitsBeyondPrefix(length: Int, max: Int)
    }

    /// Reads `10.0.0.0/8`, `2001:db8::/32` or a single address. A range of mapped addresses, such as
    /// `::ffff:10.0.0.0/104`, is the range of IPv4.
    ///
    /// - Throws: ``Problem`` if it is not that.
    public init(_ text: String) throws(Problem) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let head = parts.first.map(String.init), let bytes = IPAddress.bytes(of: head),
            let first = IPAddress(head)
        else { throw .address }
        let max = bytes.count * 8
        guard let length = parts.count == 2 ? CanonicalNumber.value(parts[1], max: max) : max else {
            throw .prefixLength(max: max)
        }
        guard (length..<max).allSatisfy({ bytes[$0 / 8] & 0x80 >> UInt8($0 % 8) == 0 }) else {
            throw .bitsBeyondPrefix(length: length, max: max)
        }
        self.first = first
        // A mapped address has bits set up to the 96th, so the length is 96 or more.
        prefixLength = IPAddress.isMapped(bytes) ? length - 96 : length
    }

    /// The canonical text: `10.0.0.0/8`, and the address alone for a range of one.
    public var description: String {
        prefixLength == first.bytes.count * 8 ? first.description : "\(first)/\(prefixLength)"
    }

    /// Whether an address is in the range. A range of IPv6 holds no address of IPv4.
    public func contains(_ address: IPAddress) -> Bool {
        let bytes = address.bytes
        guard bytes.count == first.bytes.count else { return false }
        return (0..<prefixLength).allSatisfy { bit in
            (bytes[bit / 8] ^ first.bytes[bit / 8]) & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}
