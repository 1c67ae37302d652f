/// Base64url without padding, as JOSE and WebAuthn use it (RFC 4648 §5, RFC 7515 §2).
///
/// Decoding is strict, so that every byte string has exactly one spelling: no padding, no white space, no
/// characters of the other alphabet, no leftover bits that are not zero.
public enum Base64URL {
    /// The one spelling of `bytes`.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: encoded(bytes), as: UTF8.self)
    }

    /// The same as ``encode(_:)``, as ASCII bytes.
    public static func encoded(_ bytes: some Collection<UInt8>) -> [UInt8] {
        unsafe bytes.withContiguousStorageIfAvailable { unsafe encode(buffer: $0) }
            ?? Array(bytes).withUnsafeBufferPointer { unsafe encode(buffer: $0) }
    }

    /// The bytes that `text` spells, or `nil` if it is not canonical base64url.
    public static func decode(_ text: some StringProtocol) -> [UInt8]? {
        decode(utf8: Array(text.utf8)[...])
    }

    /// The bytes that the ASCII characters `utf8` spell, or `nil` if they are not canonical base64url.
    public static func decode(utf8: ArraySlice<UInt8>) -> [UInt8]? {
        let remainder = utf8.count % 4
        guard remainder != 1 else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count / 4 * 3 + 2)
        var accumulator: UInt32 = 0
        var invalid: UInt8 = 0
        var pending = 0
        for character in utf8 {
            let value = values[Int(character)]
            invalid |= value
            accumulator = accumulator << 6 | UInt32(value & 0x3F)
            pending += 1
            if pending == 4 {
                result.append(UInt8(truncatingIfNeeded: accumulator >> 16))
                result.append(UInt8(truncatingIfNeeded: accumulator >> 8))
                result.append(UInt8(truncatingIfNeeded: accumulator))
                pending = 0
                accumulator = 0
            }
        }
        guard invalid & 0x80 == 0 else { return nil }
        switch remainder {
        case 2:
            guard accumulator & 0x0F == 0 else { return nil }
            result.append(UInt8(truncatingIfNeeded: accumulator >> 4))
        case 3:
            guard accumulator & 0x03 == 0 else { return nil }
            result.append(UInt8(truncatingIfNeeded: accumulator >> 10))
            result.append(UInt8(truncatingIfNeeded: accumulator >> 2))
        default:
            break
        }
        return result
    }

    private static func encode(buffer: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let count = (buffer.count * 4 + 2) / 3
        return unsafe [UInt8](unsafeUninitializedCapacity: count) { output, initialized in
            var read = 0
            var write = 0
            while read + 3 <= buffer.count {
                let group =
                    unsafe UInt32(buffer[read]) << 16 | UInt32(buffer[read + 1]) << 8 | UInt32(buffer[read + 2])
                unsafe output[write] = alphabet[Int(group >> 18)]
                unsafe output[write + 1] = alphabet[Int(group >> 12 & 0x3F)]
                unsafe output[write + 2] = alphabet[Int(group >> 6 & 0x3F)]
                unsafe output[write + 3] = alphabet[Int(group & 0x3F)]
                read += 3
                write += 4
            }
            if read + 1 == buffer.count {
                let group = unsafe UInt32(buffer[read])
                unsafe output[write] = alphabet[Int(group >> 2)]
                unsafe output[write + 1] = alphabet[Int(group << 4 & 0x3F)]
            } else if read + 2 == buffer.count {
                let group = unsafe UInt32(buffer[read]) << 8 | UInt32(buffer[read + 1])
                unsafe output[write] = alphabet[Int(group >> 10)]
                unsafe output[write + 1] = alphabet[Int(group >> 4 & 0x3F)]
                unsafe output[write + 2] = alphabet[Int(group << 2 & 0x3F)]
            }
            initialized = count
        }
    }

    private static let alphabet: [UInt8] = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// The six bits of each ASCII character; 0x80 marks characters that are not in the alphabet.
    private static let values: [UInt8] = {
        var table = [UInt8](repeating: 0x80, count: 256)
        for (index, character) in alphabet.enumerated() {
            table[Int(character)] = UInt8(index)
        }
        return table
    }()
}
