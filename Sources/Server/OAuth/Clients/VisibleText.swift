internal import KeyturnBase

/// What people are shown of what an app says: letters that are what they seem, no controls, and nothing that turns the
/// direction of what follows.
enum VisibleText {
    /// Whether everybody sees every character of it, on one line.
    static func holds(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            ![.control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse].contains(
                scalar.properties.generalCategory)
        }
    }

    /// The same for every name and every text inside. As deep as its reader let it be.
    static func holds(_ value: JSONValue) -> Bool {
        switch value {
        case .string(let text): holds(text)
        case .array(let values): values.allSatisfy { holds($0) }
        case .object(let members): members.allSatisfy { holds($0.key) && holds($0.value) }
        default: true
        }
    }
}
