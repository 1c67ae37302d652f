internal import Crypto
internal import KeyturnBase

/// A container's name as the name of a folder: any string, no traversal, no two names for one folder.
enum ContainerFolder {
    /// Longest spelled-out name, in bytes; file systems stop at 255.
    private static let spelledMax = 120

    /// Lower-case letters, digits, `-` and `_` stand for themselves and every other byte for `=` and two hexadecimal
    /// digits, so that file systems which ignore case keep `a` and `A` apart. A name too long for that becomes `=h`
    /// and its SHA-256; the empty one becomes `=empty`.
    static func name(for container: String) -> String {
        guard !container.isEmpty else { return "=empty" }
        var spelled: [UInt8] = []
        for byte in container.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                spelled.append(byte)
            default:
                spelled.append(UInt8(ascii: "="))
                spelled += hexadecimal(byte)
            }
            guard spelled.count <= spelledMax else { return digest(of: container) }
        }
        return String(decoding: spelled, as: UTF8.self)
    }

    private static func digest(of container: String) -> String {
        let digits = SHA256.hash(data: Array(container.utf8)).flatMap(hexadecimal)
        return "=h" + String(decoding: digits, as: UTF8.self)
    }

    private static func hexadecimal(_ byte: UInt8) -> [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return [digits[Int(byte >> 4)], digits[Int(byte & 0x0F)]]
    }
}
