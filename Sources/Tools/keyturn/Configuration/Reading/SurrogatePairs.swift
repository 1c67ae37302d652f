/// The one thing that JSON writes and YAML does not read: a character as two `\u` escapes (RFC 8259 §7).
enum SurrogatePairs {
    /// `text` with each pair `\ud83d\ude00` as the one escape of YAML, `\U0001f600`, if it is JSON; other texts
    /// as they are. Columns after a pair are two less than in the file.
    static func joined(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == UInt8(ascii: "{") else { return text }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                result.append(bytes[index])
                index += 1
                continue
            }
            if let code = pair(in: bytes, at: index) {
                let digits = String(code, radix: 16)
                result += Array("\\U".utf8) + Array(repeating: UInt8(ascii: "0"), count: 8 - digits.count)
                result += Array(digits.utf8)
                index += 12
            } else {
                // Both at once, so that the second backslash of \\ does not begin an escape.
                result += bytes[index...index + 1]
                index += 2
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func pair(in bytes: [UInt8], at index: Int) -> UInt32? {
        guard let high = unit(in: bytes, at: index), (0xD800...0xDBFF).contains(high),
            let low = unit(in: bytes, at: index + 6), (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }

    private static func unit(in bytes: [UInt8], at index: Int) -> UInt32? {
        guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u"),
            bytes[index + 2] != UInt8(ascii: "+")
        else { return nil }
        return UInt32(String(decoding: bytes[index + 2..<index + 6], as: UTF8.self), radix: 16)
    }
}
