internal import Crypto
internal import Foundation
internal import KeyturnBase

/// `{SSHA}` and base64 of hash and salt, as LDAP servers store it; also with SHA-256 and SHA-512.
///
/// A hash without salt is refused: tables of such hashes exist, so the user must choose a new password.
struct SaltedSHAHash: CheckableHash {
    private enum Function: String {
        case sha1 = "SSHA", sha256 = "SSHA256", sha512 = "SSHA512"
    }

    private let function: Function
    private let digest: [UInt8]
    private let salt: [UInt8]

    init(_ encoded: String) throws(PasswordHashRefusal) {
        let name = encoded.dropFirst().prefix { $0 != "}" }
        guard let function = Function(rawValue: name.uppercased()) else {
            throw PasswordHashRefusal(.saltedSHA, .unknown, "only SSHA, SSHA256 and SSHA512 are known in braces")
        }
        let count =
            switch function {
            case .sha1: 20
            case .sha256: 32
            case .sha512: 64
            }
        guard let bytes = HashText.base64(encoded.dropFirst(name.count + 2)),
            (count + 4...count + 64).contains(bytes.count)
        else { throw PasswordHashRefusal(.saltedSHA, .malformed, "not a hash with a salt of 4 to 64 bytes") }
        self.function = function
        digest = Array(bytes[..<count])
        salt = Array(bytes[count...])
    }

    /// A few microseconds.
    var work: HashWork? { nil }

    func matches(_ password: [UInt8]) -> Bool {
        let hash: [UInt8] =
            switch function {
            case .sha1: Array(Insecure.SHA1.hash(data: password + salt))
            case .sha256: Array(SHA256.hash(data: password + salt))
            case .sha512: Array(SHA512.hash(data: password + salt))
            }
        return ConstantTime.equal(hash, digest)
    }
}
