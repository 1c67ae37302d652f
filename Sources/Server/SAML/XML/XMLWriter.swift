/// Writes elements. Every value is escaped here, and nowhere else is XML put together.
package struct XMLWriter {
    private var out = ""

    package init() {}

    /// An element with what `body` writes into it.
    package mutating func element(
        _ name: String, _ attributes: [(String, String?)] = [], _ body: (inout XMLWriter) -> Void = { _ in }
    ) {
        out += "<\(name)"
        for (name, value) in attributes {
            if let value { out += " \(name)=\"\(Self.escaped(value))\"" }
        }
        out += ">"
        body(&self)
        out += "</\(name)>"
    }

    package mutating func text(_ text: String) { out += Self.escaped(text) }

    package mutating func element(_ name: String, _ attributes: [(String, String?)] = [], text: String) {
        element(name, attributes) { $0.text(text) }
    }

    package var bytes: [UInt8] { Array(out.utf8) }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            // XML 1.0 has no other control characters.
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: continue
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
