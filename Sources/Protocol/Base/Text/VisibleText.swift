/// Text that users are shown: letters that are what they seem, no controls, and nothing that changes the direction of
/// what follows.
package enum VisibleText {
    /// Whether every character of it is visible, on one line.
    package static func holds(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in !isHidden(scalar) || isVariationSelector(scalar) }
    }

    /// Whether every name and every text inside is visible. As deep as its reader allowed.
    package static func holds(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): holds(text)
        case .array(let values): values.allSatisfy { holds($0) }
        case .object(let members): members.allSatisfy { holds($0.key) && holds($0.value) }
        default: true
        }
    }

    /// Whether a character is not seen, or seen as something else: controls, formats, what Unicode says is to be ignored
    /// (variation selectors and fillers among it), line ends, private and unassigned ones.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        let hidden: Set<Unicode.GeneralCategory> = [
            .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned,
        ]
        return hidden.contains(scalar.properties.generalCategory) || scalar.properties.isDefaultIgnorableCodePoint
    }

    /// A text in which everything is seen: what is hidden stands as its code point, such as `[U+200B]`. So do blanks other
    /// than the ordinary one.
    package static func shown(_ text: String) -> String {
        // Most texts need nothing.
        guard !text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return text }
        return text.unicodeScalars.map { scalar in
            isHidden(scalar) || scalar != " " && scalar.properties.isWhitespace ? codePoint(scalar) : String(scalar)
        }.joined()
    }

    /// Such as `[U+200B]`.
    private static func codePoint(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "[U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)]"
    }

    /// Those of emoji, which are seen.
    private static func isVariationSelector(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{FE0E}" || scalar == "\u{FE0F}"
    }
}
