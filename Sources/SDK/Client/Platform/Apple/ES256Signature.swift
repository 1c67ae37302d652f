/// ECDSA signatures on P-256 in the two forms that are about: DER (X9.62, RFC 3279 §2.2.3) and raw (RFC 7518 §3.4).
enum ES256Signature {
    /// r then s, 32 bytes each; `nil` for anything but the one DER form of two numbers in 1…n-1.
    static func raw(der: [UInt8]) -> [UInt8]? {
        guard der.count >= 8, der[0] == 0x30, Int(der[1]) == der.count - 2, der[1] < 0x80 else { return nil }
        var rest = der[2...]
        guard let r = takeInteger(&rest), let s = takeInteger(&rest), rest.isEmpty else { return nil }
        return r + s
    }

    /// An integer in 32 bytes, taken from the front.
    private static func takeInteger(_ bytes: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard bytes.count >= 2, bytes.removeFirst() == 0x02 else { return nil }
        let count = Int(bytes.removeFirst())
        guard (1...33).contains(count), count <= bytes.count else { return nil }
        var digits = bytes.prefix(count)
        bytes = bytes.dropFirst(count)
        if digits.first == 0 {
            // A zero in front stands only where the number would look negative without it.
            digits = digits.dropFirst()
            guard let first = digits.first, first >= 0x80 else { return nil }
        } else if digits.first.map({ $0 >= 0x80 }) == true {
            return nil
        }
        guard digits.count <= 32 else { return nil }
        let number = [UInt8](repeating: 0, count: 32 - digits.count) + digits
        return number.lexicographicallyPrecedes(order) ? number : nil
    }

    /// n, the order of the group (FIPS 186-5, SP 800-186 §3.2.1.3).
    private static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}
