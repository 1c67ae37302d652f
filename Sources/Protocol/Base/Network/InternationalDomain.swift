/// Domain names beyond ASCII (IDNA 2008, RFC 5891): two spellings of one domain, `exämple.com` and
/// `xn--exmple-cua.com`.
package enum InternationalDomain {
    /// Longest label and longest name, in bytes (RFC 1035 §2.3.4).
    private static let (labelMax, nameMax) = (63, 253)

    /// The spelling in ASCII, which DNS uses.
    ///
    /// - Parameter name: in lower case and its NFKC form.
    /// - Returns: `nil` if a label can be none: it holds other characters than letters, marks, digits and hyphens, or is
    ///   too long.
    package static func ascii(_ name: String) -> String? {
        var labels: [String] = []
        for label in name.split(separator: ".", omittingEmptySubsequences: false) {
            guard !label.utf8.allSatisfy({ $0 < 0x80 }) else {
                labels.append(String(label))
                continue
            }
            guard isLabel(label), let code = Punycode.encode(String(label)), code.utf8.count + 4 <= labelMax else {
                return nil
            }
            labels.append("xn--\(code)")
        }
        let result = labels.joined(separator: ".")
        return result.utf8.count <= nameMax ? result : nil
    }

    /// The spelling that is read, of a name in ASCII. A label that is none, or that is spelt otherwise again, stays as it
    /// is.
    package static func unicode(_ name: String) -> String {
        name.split(separator: ".", omittingEmptySubsequences: false).map { label in
            guard label.hasPrefix("xn--"), let decoded = Punycode.decode(String(label.dropFirst(4))),
                ascii(decoded) == String(label)
            else { return String(label) }
            return decoded
        }.joined(separator: ".")
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard !label.hasPrefix("-"), !label.hasSuffix("-"), !label.dropFirst(2).hasPrefix("--"),
            let first = label.unicodeScalars.first, !isMark(first)
        else { return false }
        return label.unicodeScalars.allSatisfy { scalar in
            guard !VisibleText.isHidden(scalar) else { return false }
            switch scalar.properties.generalCategory {
            case .lowercaseLetter, .otherLetter, .modifierLetter, .decimalNumber: return true
            default: return isMark(scalar) || scalar == "-" || scalar == "\u{B7}" || scalar == "\u{30FB}"
            }
        }
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        [.nonspacingMark, .spacingMark].contains(scalar.properties.generalCategory)
    }
}
