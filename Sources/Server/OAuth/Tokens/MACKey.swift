internal import Crypto

/// A key of HMAC-SHA-256 (RFC 2104) whose two padded blocks are hashed once: a code then costs no more than the blocks of
/// its message. Each refresh of a session needs several.
struct MACKey: Sendable {
    private let inner: SHA256
    private let outer: SHA256

    /// - Parameter key: 64 bytes at most.
    init(_ key: [UInt8]) {
        precondition(key.count <= Self.blockBytes, "a longer key would be hashed first")
        inner = Self.hash(key, paddedWith: 0x36)
        outer = Self.hash(key, paddedWith: 0x5C)
    }

    init(_ key: SymmetricKey) {
        self.init(unsafe key.withUnsafeBytes { unsafe Array($0) })
    }

    /// 32 bytes.
    func code(for message: ArraySlice<UInt8>) -> [UInt8] {
        var inner = inner
        unsafe message.withUnsafeBytes { unsafe inner.update(bufferPointer: $0) }
        var outer = outer
        let digest = inner.finalize()
        unsafe digest.withUnsafeBytes { unsafe outer.update(bufferPointer: $0) }
        return unsafe outer.finalize().withUnsafeBytes { unsafe Array($0) }
    }

    private static let blockBytes = 64

    private static func hash(_ key: [UInt8], paddedWith pad: UInt8) -> SHA256 {
        var block = [UInt8](repeating: pad, count: blockBytes)
        for index in key.indices { block[index] ^= key[index] }
        var hash = SHA256()
        unsafe block.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
        return hash
    }
}
