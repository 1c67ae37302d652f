internal import CArgon2
package import KeyturnBase
package import Model

/// Hashes and checks on the calling thread: tens of milliseconds and megabytes each. See ``HashingPool``.
package enum Argon2 {
    private static let saltBytes = 16
    private static let hashBytes = 32

    /// The encoded hash of `password`, with a new salt.
    static func hash(_ password: Secret, _ parameters: Argon2Parameters, salt: [UInt8]) -> String {
        precondition(salt.count == saltBytes, "a salt is 16 bytes")
        let bytes = Array(PasswordForm.normalized(password).utf8)
        var encoded = [CChar](repeating: 0, count: 256)
        let status = unsafe argon2id_hash_encoded(
            parameters.passes, parameters.memoryKiB, parameters.lanes, bytes, bytes.count, salt, salt.count, hashBytes,
            &encoded, encoded.count)
        precondition(status == ARGON2_OK.rawValue, "Argon2 refused its parameters, or memory ran out")
        return String(decoding: encoded.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether `password` is the one that `encodedHash` was made of. `false` for a hash that is not ours to check.
    static func verify(_ password: Secret, _ encodedHash: String) -> Bool {
        guard Argon2Parameters(encodedHash: encodedHash) != nil else { return false }
        let bytes = Array(PasswordForm.normalized(password).utf8)
        return unsafe argon2id_verify(encodedHash, bytes, bytes.count) == ARGON2_OK.rawValue
    }

    /// 32 bytes derived from `secret`, for use as a key.
    ///
    /// - Returns: `nil` if memory ran out: nothing was derived then.
    package static func derive(_ secret: Secret, _ parameters: Argon2Parameters, salt: [UInt8]) -> [UInt8]? {
        precondition(salt.count == saltBytes, "a salt is 16 bytes")
        let bytes = Array(PasswordForm.normalized(secret).utf8)
        var derived = [UInt8](repeating: 0, count: hashBytes)
        let status = unsafe argon2id_hash_raw(
            parameters.passes, parameters.memoryKiB, parameters.lanes, bytes, bytes.count, salt, salt.count, &derived,
            derived.count)
        return status == ARGON2_OK.rawValue ? derived : nil
    }
}
