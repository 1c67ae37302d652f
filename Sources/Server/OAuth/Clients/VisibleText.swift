internal import KeyturnBase

/// Apps' text that users are shown: letters that are what they seem, no controls, and nothing that changes the
/// direction of what follows.
enum VisibleText {
    /// Whether every character of it is visible, on one line.
    static func holds(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse].contains(
                scalar.properties.generalCategory)
        }
    }

    /// Whether every name and every text inside is visible. As deep as its reader allowed.
    static func holds(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): holds(text)
        case .array(let values): values.allSatisfy { holds($0) }
        case .object(let members): members.allSatisfy { holds($0.key) && holds($0.value) }
        default: true
        }
    }
}
