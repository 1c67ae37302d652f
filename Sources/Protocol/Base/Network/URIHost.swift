/// The host of a URI: a name or an address (RFC 3986 §3.2.2). Strictly: nothing that a browser or a resolver could read
/// as another host.
public struct URIHost: Hashable, Sendable {
    /// A name in lower case, or the canonical text of an address. Without brackets.
    public let text: String
    /// `nil` for a name.
    public let address: IPAddress?

    /// Reads a name or an address without brackets.
    ///
    /// `nil` for anything else. A name has labels of letters, digits, hyphens and underscores between its dots; names of
    /// other alphabets are written in these letters (RFC 5890 §2.3.2.1). There is no dot at the end. A name whose last
    /// label is a number, such as `127.1` or `0x7f000001`, is refused: browsers and resolvers read it as an address.
    public init?(_ text: String) {
        if let address = IPAddress(text) {
            self.text = address.description
            self.address = address
        } else {
            guard Self.isName(text) else { return nil }
            self.text = text.lowercased()
            address = nil
        }
    }

    /// As it stands in a URI: addresses of IPv6 in brackets.
    public var authority: String { address?.isIPv4 == false ? "[\(text)]" : text }

    /// Whether it is this machine, without asking any resolver: `localhost`, 127.0.0.0/8 or ::1.
    public var isLoopback: Bool { address?.isLoopback ?? (text == "localhost") }

    /// Whether browsers stay on this machine for it: ``isLoopback``, or a name below `localhost` (RFC 6761 §6.3).
    ///
    /// Not for requests of our own: some resolvers ask the network for such names.
    public var isLoopbackInBrowsers: Bool { isLoopback || text.hasSuffix(".localhost") }

    private static func isName(_ text: String) -> Bool {
        guard (1...253).contains(text.utf8.count) else { return false }
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.allSatisfy { (1...63).contains($0.count) && $0.allSatisfy(isNameByte) }
            && labels.last.map(Array.init).map(isNumber) == false
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        URIParts.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }

    /// Whether browsers take a label for a number (WHATWG URL §3.5, "ends in a number").
    private static func isNumber(_ label: [UInt8]) -> Bool {
        if label.starts(with: "0x".utf8) || label.starts(with: "0X".utf8) {
            return label.dropFirst(2).allSatisfy { URIParts.isHexadecimal($0) }
        }
        return label.allSatisfy { (0x30...0x39).contains($0) }
    }
}
