internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import KeyturnBase
internal import Model

/// PBKDF2 (RFC 8018 §5.2) as `$pbkdf2-sha256$i=310000,l=32$salt$hash` (PHC string format), as passlib's
/// `$pbkdf2-sha256$29000$salt$hash`, and as Django's `pbkdf2_sha256$1000000$salt$hash`.
struct PBKDF2Hash: CheckableHash {
    private let function: KDF.Insecure.PBKDF2.HashFunction
    private let iterations: Int
    private let salt: [UInt8]
    private let digest: [UInt8]
    let work: HashWork?

    init(_ encoded: String) throws(PasswordHashRefusal) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 5, let salt = HashText.base64(parts[3]), let digest = HashText.digest(parts[4]) else {
            throw Self.malformed
        }
        var iterations = HashText.number(parts[2])
        if iterations == nil, let numbers = HashText.numbers(parts[2], names: ["i", "l"]),
            numbers["l"] ?? digest.count == digest.count
        {
            iterations = numbers["i"]
        }
        let name = parts[1].split(separator: "-").dropFirst().first ?? "sha1"
        try self.init(name, iterations, salt, digest)
    }

    /// The salt is text, hashed as it stands.
    init(django encoded: String) throws(PasswordHashRefusal) {
        let parts = encoded.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 4, let digest = HashText.digest(parts[3]) else { throw Self.malformed }
        try self.init(parts[0].dropFirst("pbkdf2_".count), HashText.number(parts[1]), Array(parts[2].utf8), digest)
    }

    private init(
        _ name: Substring, _ iterations: Int?, _ salt: [UInt8], _ digest: [UInt8]
    ) throws(PasswordHashRefusal) {
        let functions: [Substring: (KDF.Insecure.PBKDF2.HashFunction, HashWork.Family, bytes: Int)] = [
            "sha1": (.insecureSHA1, .pbkdf2SHA1, 20), "sha256": (.sha256, .pbkdf2SHA256, 32),
            "sha512": (.sha512, .pbkdf2SHA512, 64),
        ]
        guard let function = functions[name], let iterations, iterations >= 1, !salt.isEmpty else {
            throw Self.malformed
        }
        // Each block of the result costs all iterations once more.
        let blocks = (digest.count + function.bytes - 1) / function.bytes
        guard iterations * blocks <= Limits.pbkdf2IterationsMax else {
            throw PasswordHashRefusal(
                .pbkdf2, .tooExpensive, "\(iterations * blocks) iterations are beyond \(Limits.pbkdf2IterationsMax)")
        }
        self.function = function.0
        work = HashWork(family: function.1, units: iterations * blocks)
        self.iterations = iterations
        self.salt = salt
        self.digest = digest
    }

    private static let malformed = PasswordHashRefusal(.pbkdf2, .malformed, "not iterations, salt and hash")

    func matches(_ password: [UInt8]) -> Bool {
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
            from: password, salt: salt, using: function, outputByteCount: digest.count,
            unsafeUncheckedRounds: iterations)
        guard let key else { return false }
        return ConstantTime.equal(unsafe key.withUnsafeBytes { unsafe Array($0) }, digest)
    }
}

extension StoredPasswordHash {
    /// A hash from the parts that some products export.
    ///
    /// - Parameters:
    ///   - function: `sha1`, `sha256` or `sha512`.
    ///   - salt: base64.
    ///   - hash: base64.
    /// - Throws: as ``init(_:)``.
    public static func pbkdf2(
        function: String, iterations: Int, salt: String, hash: String
    ) throws(PasswordHashRefusal) -> StoredPasswordHash {
        try StoredPasswordHash("$pbkdf2-\(function)$\(iterations)$\(salt)$\(hash)")
    }
}
