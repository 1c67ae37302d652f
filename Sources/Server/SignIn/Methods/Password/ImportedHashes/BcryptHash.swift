internal import Crypto
internal import Foundation
internal import Model

/// `$2b$12$` and 53 characters of salt and hash.
///
/// bcrypt uses 72 bytes of a password, and products cut a longer one there. It is cut here as well, so that its owner
/// can sign in. The hash that replaces it is of the whole password.
struct BcryptHash: CheckableHash {
    static let passwordBytesMax = 72
    private let encoded: String
    private let isOfSHA256: Bool
    let work: HashWork?
    /// After 22 characters of salt.
    private static let hashLength = 31

    /// - Parameter isOfSHA256: Django's `bcrypt_sha256` hashes the hexadecimal SHA-256 of the password instead.
    init(_ encoded: String, isOfSHA256: Bool = false) throws(PasswordHashRefusal) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, ["2a", "2b", "2y"].contains(parts[1]), parts[2].count == 2,
            parts[2].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let cost = Int(parts[2]), (4...31).contains(cost),
            parts[3].count == 53, HashText.isUnixText(parts[3])
        else { throw PasswordHashRefusal(.bcrypt, .malformed, "not version, cost and 53 characters") }
        guard cost <= Limits.bcryptCostMax else {
            throw PasswordHashRefusal(.bcrypt, .tooExpensive, "cost \(cost) is beyond \(Limits.bcryptCostMax)")
        }
        guard UnixCrypt.isAvailable else {
            throw PasswordHashRefusal(.bcrypt, .unavailable, "this system's C library does not know it")
        }
        self.encoded = encoded
        work = HashWork(family: .bcrypt, units: 1 << cost)
        self.isOfSHA256 = isOfSHA256
    }

    func matches(_ password: [UInt8]) -> Bool {
        guard isOfSHA256 else {
            return UnixCrypt.matches(Array(password.prefix(Self.passwordBytesMax)), encoded, last: Self.hashLength)
        }
        let hexadecimal = SHA256.hash(data: password).flatMap { byte -> [UInt8] in
            [byte >> 4, byte & 0x0F].map { $0 + ($0 < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10) }
        }
        return UnixCrypt.matches(hexadecimal, encoded, last: Self.hashLength)
    }
}
