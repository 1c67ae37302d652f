/// Base32 as authenticator apps spell secrets (RFC 4648 §6).
///
/// ``decode(_:)`` is strict: every byte string has exactly one unpadded and one padded spelling.
/// ``decodeTyped(_:)`` tolerates the mistakes of users who copy a secret from paper or from another product.
public enum Base32 {
    /// The unpadded spelling of `bytes`, in upper case.
    public static func encode(_ bytes: [UInt8]) -> String {
        var result: [UInt8] = []
        result.reserveCapacity((bytes.count * 8 + 4) / 5)
        var accumulator: UInt32 = 0
        var bits = 0
        for byte in bytes {
            accumulator = accumulator << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                result.append(alphabet[Int(accumulator >> UInt32(bits) & 0x1F)])
            }
        }
        if bits > 0 { result.append(alphabet[Int(accumulator << UInt32(5 - bits) & 0x1F)]) }
        return String(decoding: result, as: UTF8.self)
    }

    /// The bytes that `text` spells, or `nil` if it is not canonical: upper case, no leftover bits that are not zero,
    /// and padding either left out or complete.
    public static func decode(_ text: String) -> [UInt8]? {
        let characters = Array(text.utf8)
        let body = Array(characters.prefix { $0 != UInt8(ascii: "=") })
        let padding = characters[body.count...]
        guard padding.allSatisfy({ $0 == UInt8(ascii: "=") }), padding.isEmpty || isComplete(body, padding.count)
        else { return nil }
        return bytes(of: body)
    }

    /// The bytes of what the user typed or pasted: either case, with spaces or hyphens between groups, any padding.
    /// `0`, `1` and `8`, which are not in the alphabet, are read as the letters they resemble: `O`, `I`, `B`.
    public static func decodeTyped(_ text: String) -> [UInt8]? {
        var body: [UInt8] = []
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "\t"), 0x0A, 0x0D, UInt8(ascii: "="): continue
            case UInt8(ascii: "0"): body.append(UInt8(ascii: "O"))
            case UInt8(ascii: "1"): body.append(UInt8(ascii: "I"))
            case UInt8(ascii: "8"): body.append(UInt8(ascii: "B"))
            case UInt8(ascii: "a")...UInt8(ascii: "z"): body.append(character - 32)
            default: body.append(character)
            }
        }
        return bytes(of: body)
    }

    private static func isComplete(_ body: [UInt8], _ padding: Int) -> Bool {
        body.count % 8 != 0 && (body.count + padding) % 8 == 0 && padding < 8
    }

    private static func bytes(of body: [UInt8]) -> [UInt8]? {
        // With 1, 3 or 6 characters more than a multiple of eight, the text does not end on a byte.
        guard ![1, 3, 6].contains(body.count % 8) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(body.count * 5 / 8)
        var accumulator: UInt32 = 0
        var bits = 0
        for character in body {
            guard let value = value(of: character) else { return nil }
            accumulator = (accumulator << 5 | value) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                result.append(UInt8(truncatingIfNeeded: accumulator >> UInt32(bits)))
            }
        }
        return accumulator & (1 << UInt32(bits) - 1) == 0 ? result : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2")) + 26
        default: nil
        }
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
}
