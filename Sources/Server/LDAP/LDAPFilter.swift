/// Filters with values in them (RFC 4515). A value is escaped wherever it stands, so that it stays a value.
enum LDAPFilter {
    /// Stands for what the user typed.
    static let login = "{login}"
    /// Stands for the name of the user's entry.
    static let entry = "{dn}"

    /// `template` with every `placeholder` replaced by the escaped `value`.
    static func filled(_ template: String, _ placeholder: String, with value: String) -> String {
        template.replacing(placeholder, with: escaped(Array(value.utf8)))
    }

    /// A value as it stands in a filter (RFC 4515 §3). More is escaped than must be: all that is not a letter, a digit
    /// or one of `. - _ @ + = ,` and blanks.
    static func escaped(_ value: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for byte in value {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "@"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: ","), UInt8(ascii: " "):
                text.append(byte)
            default: text += [UInt8(ascii: "\\"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a template can be a filter: in parentheses that match, with the placeholder in it.
    static func isUsable(_ template: String, placeholder: String) -> Bool {
        guard template.hasPrefix("("), template.hasSuffix(")"), template.contains(placeholder),
            template.utf8.allSatisfy({ $0 >= 0x20 })
        else { return false }
        var depth = 0
        for (index, character) in template.utf8.enumerated() {
            if character == UInt8(ascii: "(") { depth += 1 }
            if character == UInt8(ascii: ")") { depth -= 1 }
            if depth < 0 || depth == 0 && index != template.utf8.count - 1 { return false }
        }
        return depth == 0
    }
}
