internal import Crypto
internal import Foundation

/// One-time passwords from a counter (HOTP, RFC 4226 §5.3).
enum CounterCode {
    /// `digits` decimal digits, with leading zeros.
    ///
    /// - Parameter digits: 6 to 8.
    static func make(
        _ secret: TOTPSecret, counter: UInt64, algorithm: TOTPCode.Algorithm, digits: Int
    ) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
        let key = SymmetricKey(data: secret.bytes)
        let mac: [UInt8] =
            switch algorithm {
            case .sha1: Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: key))
            case .sha256: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            case .sha512: Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            }
        // Dynamic truncation: the last four bits say where to read 31 bits.
        let offset = Int(mac[mac.count - 1] & 0x0F)
        let word = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let modulus = (0..<digits).reduce(UInt32(1)) { product, _ in product * 10 }
        let text = String(word % modulus)
        return String(repeating: "0", count: digits - text.count) + text
    }
}
