/// Text as lines of printable ASCII, at most 76 characters each (RFC 2045 §6.7). Any mail server carries it unharmed.
enum QuotedPrintable {
    private static let columnsMax = 76
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// Ends each line of `text` with CRLF, whatever ended it before.
    static func encode(_ text: String) -> [UInt8] {
        var result: [UInt8] = []
        for line in lines(Array(text.utf8)) {
            append(line, to: &result)
            result += [0x0d, 0x0a]
        }
        return result
    }

    private static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = [[]]
        var wasReturn = false
        for byte in bytes {
            switch byte {
            case 0x0a where wasReturn: break
            case 0x0a, 0x0d: lines.append([])
            default: lines[lines.count - 1].append(byte)
            }
            wasReturn = byte == 0x0d
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func append(_ line: [UInt8], to result: inout [UInt8]) {
        var column = 0
        for (index, byte) in line.enumerated() {
            let isLast = index == line.count - 1
            let isBlank = byte == 0x20 || byte == 0x09
            let isLiteral = isBlank ? !isLast : (0x21...0x7e).contains(byte) && byte != 0x3d
            let width = isLiteral ? 1 : 3
            // One column stays free for the sign that the line goes on.
            if column + width > columnsMax - (isLast ? 0 : 1) {
                result += [0x3d, 0x0d, 0x0a]
                column = 0
            }
            if isLiteral {
                result.append(byte)
            } else {
                result += [0x3d, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
            column += width
        }
    }
}
