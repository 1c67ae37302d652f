/// Names of entries (RFC 4514), as far as they are compared: without regard to case and to blanks around separators.
enum DistinguishedName {
    /// The form that is compared.
    static func folded(_ name: String) -> String {
        var text = name.lowercased()
        for separator in [",", "="] {
            while text.contains(" " + separator) { text.replace(" " + separator, with: separator) }
            while text.contains(separator + " ") { text.replace(separator + " ", with: separator) }
        }
        return text
    }

    /// The directory's names, each in the spelling of the name in `wanted` that it equals.
    static func spelled(_ names: [String], as wanted: some Sequence<String>) -> [String] {
        let spellings = Dictionary(wanted.map { (folded($0), $0) }) { first, _ in first }
        return names.map { spellings[folded($0)] ?? $0 }
    }
}
