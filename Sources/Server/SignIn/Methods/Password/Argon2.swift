internal import CArgon2
internal import Foundation
package import KeyturnBase
package import Model

/// Argon2id (RFC 9106), on the calling thread: tens of milliseconds and megabytes each. See ``HashingPool``.
package enum Argon2 {
    private static let saltBytes = 16
    private static let hashBytes = 32

    /// The encoded hash of `password`, with a new salt (PHC string format).
    static func hash(_ password: Secret, _ parameters: Argon2Parameters, salt: [UInt8]) -> String {
        precondition(salt.count == saltBytes, "a salt is 16 bytes")
        let hash = compute(password, parameters, salt: salt, count: hashBytes)
        guard let hash else { preconditionFailure("Argon2 refused its parameters, or memory ran out") }
        let (memory, passes, lanes) = (parameters.memoryKiB, parameters.passes, parameters.lanes)
        return "$argon2id$v=19$m=\(memory),t=\(passes),p=\(lanes)$\(base64(salt))$\(base64(hash))"
    }

    /// Whether `password` is the one that `encodedHash` was made of. `false` for a hash that is not ours to check.
    static func verify(_ password: Secret, _ encodedHash: String) -> Bool {
        let parts = encodedHash.split(separator: "$")
        guard let parameters = Argon2Parameters(encodedHash: encodedHash), let salt = HashText.base64(parts[3]),
            let expected = HashText.digest(parts[4]),
            let hash = compute(password, parameters, salt: salt, count: expected.count)
        else { return false }
        return ConstantTime.equal(hash, expected)
    }

    /// 32 bytes derived from `secret`, for use as a key.
    ///
    /// - Returns: `nil` if memory ran out: nothing was derived then.
    package static func derive(_ secret: Secret, _ parameters: Argon2Parameters, salt: [UInt8]) -> [UInt8]? {
        precondition(salt.count == saltBytes, "a salt is 16 bytes")
        return compute(secret, parameters, salt: salt, count: hashBytes)
    }

    /// - Returns: `nil` if the parameters or the salt are none of Argon2's, or memory ran out.
    private static func compute(
        _ secret: Secret, _ parameters: Argon2Parameters, salt: [UInt8], count: Int
    ) -> [UInt8]? {
        var input = Array(PasswordForm.normalized(secret).utf8)
        var salt = salt
        var output = [UInt8](repeating: 0, count: count)
        let status = unsafe input.withUnsafeMutableBufferPointer { input in
            unsafe salt.withUnsafeMutableBufferPointer { salt in
                unsafe output.withUnsafeMutableBufferPointer { output in
                    var context = unsafe argon2_context()
                    unsafe (context.out, context.outlen) = (output.baseAddress, UInt32(output.count))
                    unsafe (context.pwd, context.pwdlen) = (input.baseAddress, UInt32(input.count))
                    unsafe (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
                    unsafe (context.m_cost, context.t_cost) = (parameters.memoryKiB, parameters.passes)
                    unsafe (context.lanes, context.threads) = (parameters.lanes, parameters.lanes)
                    unsafe context.version = ARGON2_VERSION_13.rawValue
                    unsafe context.allocate_cbk = allocate
                    unsafe context.free_cbk = { start, bytes in
                        if let start = unsafe start { unsafe HashingMemory.shared.giveBack(start, bytes) }
                    }
                    return unsafe argon2id_ctx(&context)
                }
            }
        }
        return status == ARGON2_OK.rawValue ? output : nil
    }

    private static let allocate: allocate_fptr = { place, bytes in
        guard let place = unsafe place, let start = unsafe HashingMemory.shared.take(bytes) else {
            return ARGON2_MEMORY_ALLOCATION_ERROR.rawValue
        }
        unsafe place.pointee = start.assumingMemoryBound(to: UInt8.self)
        return ARGON2_OK.rawValue
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString().replacing("=", with: "")
    }
}
