#if canImport(CCrypt)
    internal import CCrypt
#endif
internal import KeyturnBase

/// The C library's `crypt_r`, which knows the formats of Unix.
enum UnixCrypt {
    static var isAvailable: Bool {
        #if canImport(CCrypt)
            true
        #else
            false
        #endif
    }

    /// Whether hashing `password` with the parameters of `encoded` gives the same hash, which is its last `count`
    /// characters. The text before it has more than one spelling.
    ///
    /// A password with a NUL in it never matches: `crypt_r` would ignore everything after it.
    static func matches(_ password: [UInt8], _ encoded: String, last count: Int) -> Bool {
        #if canImport(CCrypt)
            guard !password.contains(0), password.count < Int(CRYPT_MAX_PASSPHRASE_SIZE) else { return false }
            let phrase = (password + [0]).map(CChar.init(bitPattern:))
            // 32 KiB of scratch space, on the heap because these threads have small stacks.
            let space = UnsafeMutablePointer<crypt_data>.allocate(capacity: 1)
            defer { unsafe space.deallocate() }
            unsafe UnsafeMutableRawPointer(space).initializeMemory(
                as: UInt8.self, repeating: 0, count: MemoryLayout<crypt_data>.size)
            guard let output = unsafe crypt_r(phrase, encoded, space) else { return false }
            // A failure is "*0" or "*1", which is shorter than any hash.
            let hash = Array(unsafe String(cString: output).utf8.suffix(count))
            return hash.count == count && ConstantTime.equal(hash, Array(encoded.utf8.suffix(count)))
        #else
            return false
        #endif
    }
}
