/// An address of IPv4 (4 bytes) or IPv6 (16 bytes), in network order.
struct IPAddress: Hashable, Sendable {
    let bytes: [UInt8]

    /// Parses `192.0.2.1` or `2001:db8::1`; no zone, no port, no brackets, no octal or shortened forms.
    init?(_ text: String) {
        guard text.utf8.count <= 45, let bytes = text.contains(":") ? Self.six(text) : Self.four(text[...]) else {
            return nil
        }
        self.bytes = bytes
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// 127.0.0.0/8, ::1, and the first as IPv6 writes it.
    var isLoopback: Bool {
        let address = unmapped
        return address.bytes.count == 4
            ? address.bytes[0] == 127 : address.bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The IPv4 address inside `::ffff:a.b.c.d`; otherwise the address itself.
    var unmapped: IPAddress {
        let prefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
        return bytes.count == 16 && Array(bytes.prefix(12)) == prefix ? IPAddress(bytes: Array(bytes.suffix(4))) : self
    }

    private static func four(_ text: Substring) -> [UInt8]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        let bytes = parts.compactMap { part -> UInt8? in
            guard part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), part == "0" || !part.hasPrefix("0") else {
                return nil
            }
            return UInt8(part)
        }
        return bytes.count == 4 ? bytes : nil
    }

    private static func six(_ text: String) -> [UInt8]? {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2, let head = groups(halves[0]) else { return nil }
        guard halves.count == 2 else { return head.count == 16 ? head : nil }
        guard let tail = groups(halves[1]), head.count + tail.count <= 14 else { return nil }
        return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
    }

    private static func groups(_ text: Substring) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        var bytes: [UInt8] = []
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if part.contains("."), index == parts.count - 1, let last = four(part) {
                bytes += last
            } else if (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit),
                let group = UInt16(part, radix: 16)
            {
                bytes += [UInt8(group >> 8), UInt8(group & 0xFF)]
            } else {
                return nil
            }
        }
        return bytes.count <= 16 ? bytes : nil
    }
}

/// A range of addresses, as `10.0.0.0/8` or `2001:db8::/32` write it; a single address is a range of one.
struct ProxyRange: Hashable, Sendable {
    /// As it was written: an address, and perhaps a slash and the prefix length.
    let text: String
    /// How many leading bits count: 0 to 32, or 0 to 128.
    let prefixLength: Int

    init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let head = parts.first, parts.count <= 2, let address = IPAddress(String(head)) else {
            throw Refusal("it is not a range of addresses", "Write it as 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32.")
        }
        let bits = address.bytes.count * 8
        let length = parts.count == 2 ? URIParts.port(parts[1]) : bits
        guard let length, length <= bits else {
            throw Refusal("the number after \"/\" is not a prefix length", "Use 0 to \(bits).")
        }
        self.text = text
        prefixLength = length
        guard Self.bits(address.bytes).dropFirst(length).allSatisfy({ $0 == 0 }) else {
            throw Refusal(
                "the address has bits set beyond the first \(length)",
                "Write the first address of the range, or /\(bits) for a single one.")
        }
    }

    private static func bits(_ bytes: [UInt8]) -> [UInt8] {
        bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
    }
}
