#if canImport(Darwin)
    private import Darwin
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Glibc)
    private import Glibc
#endif

/// An address of IPv4 or IPv6.
///
/// An IPv4 address that is mapped to IPv6 (`::ffff:192.0.2.1`, RFC 4291 §2.5.5.2) is the IPv4 address: both reach the
/// same machine.
public struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// In network order: 4 bytes of IPv4, or 16 of IPv6.
    public let bytes: [UInt8]

    /// 127.0.0.1.
    public static let loopbackV4 = IPAddress(bytes: [127, 0, 0, 1])
    /// ::1.
    public static let loopbackV6 = IPAddress(bytes: [UInt8](repeating: 0, count: 15) + [1])

    /// Reads `192.0.2.1` or `2001:db8::1`.
    ///
    /// `nil` for anything else. IPv4 has four decimal numbers without leading zeros. A zone, a port, brackets or a zero
    /// byte are not part of an address.
    public init?(_ text: String) {
        guard let bytes = Self.bytes(of: text) else { return nil }
        self.init(bytes: Self.isMapped(bytes) ? Array(bytes[12...]) : bytes)
    }

    /// Reads the address of a connection, as the system writes it: perhaps with a zone (RFC 4007 §11), which means
    /// something to this machine only.
    public init?(ignoringZone text: String) {
        self.init(String(text.prefix { $0 != "%" }))
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether it is an address of IPv4.
    public var isIPv4: Bool { bytes.count == 4 }

    /// The canonical text: `192.0.2.1`, or as RFC 5952 writes addresses of IPv6.
    public var description: String {
        // Longest is an address of IPv6 that ends in one of IPv4: 45 characters and the zero.
        var text = [CChar](repeating: 0, count: 46)
        let family = isIPv4 ? AF_INET : AF_INET6
        guard unsafe inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else {
            preconditionFailure("an address of 4 or 16 bytes has a text")
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The bytes as they are written: 16 for an IPv4 address that is mapped to IPv6.
    static func bytes(of text: String) -> [UInt8]? {
        // The system's function stops at a zero byte, and some systems' accept a zone.
        guard text.utf8.count <= 45, text.utf8.allSatisfy(isAddressByte) else { return nil }
        var v4 = [UInt8](repeating: 0, count: 4)
        if unsafe inet_pton(AF_INET, text, &v4) == 1 { return v4 }
        var v6 = [UInt8](repeating: 0, count: 16)
        return unsafe inet_pton(AF_INET6, text, &v6) == 1 ? v6 : nil
    }

    static func isMapped(_ bytes: [UInt8]) -> Bool {
        bytes.count == 16 && bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: ":"), UInt8(ascii: "."):
            true
        default: false
        }
    }
}
