internal import Foundation

/// Text in headers: printable ASCII as it is, everything else in encoded words (RFC 2047). No input can end a line.
enum HeaderText {
    /// Bytes of UTF-8 in one encoded word, so that its line stays within 76 characters.
    private static let chunkBytesMax = 39

    /// For `Subject`.
    static func unstructured(_ text: String) -> String {
        let line = singleLine(text)
        let isPlain = line.utf8.allSatisfy { (0x20...0x7e).contains($0) } && !line.contains("=?")
        return isPlain && line.utf8.count <= 66 ? line : encoded(line)
    }

    /// For the name before an address.
    static func phrase(_ text: String) -> String {
        let line = singleLine(text)
        guard line.utf8.allSatisfy({ (0x20...0x7e).contains($0) }), !line.contains("=?"), line.utf8.count <= 60 else {
            return encoded(line)
        }
        let escaped = line.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
        return "\"\(escaped)\""
    }

    /// Every control character and line separator becomes a space, so that what a reader's program decodes is one line
    /// as well.
    static func singleLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: line.append(" ")
            default: line.append(scalar)
            }
        }
        return String(line)
    }

    private static func encoded(_ line: String) -> String {
        var words: [String] = []
        var chunk: [UInt8] = []
        for scalar in line.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if chunk.count + bytes.count > chunkBytesMax {
                words.append(word(chunk))
                chunk = []
            }
            chunk += bytes
        }
        if !chunk.isEmpty { words.append(word(chunk)) }
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String {
        "=?utf-8?B?\(Data(bytes).base64EncodedString())?="
    }
}
