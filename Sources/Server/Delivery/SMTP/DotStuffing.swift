/// A mail between `DATA` and the dot that ends it (RFC 5321 §4.5.2).
enum DotStuffing {
    /// Doubles the dot of each line that begins with one, and adds the last line.
    ///
    /// - Parameter mail: ends with CRLF, and has no other line ends.
    static func apply(_ mail: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(mail.count + 64)
        var isLineStart = true
        for byte in mail {
            if isLineStart, byte == 0x2e { result.append(0x2e) }
            result.append(byte)
            isLineStart = byte == 0x0a
        }
        return result + [0x2e, 0x0d, 0x0a]
    }
}
