/// The texts of one language, parsed, with English where it has none.
package final class TextTable: Sendable {
    /// BCP 47, such as `de`.
    package let code: String
    /// What the language calls itself.
    package let name: String
    package let isRightToLeft: Bool
    package let review: TextFile.Review?
    /// The keys that it says in its own words.
    package let patterns: [String: TextPattern]
    /// As they are written.
    package let sources: [String: String]
    private let rules: PluralRules
    private let fallback: TextTable?

    init(_ file: TextFile, patterns: [String: TextPattern], fallback: TextTable?) {
        code = file.code
        name = file.name
        isRightToLeft = file.isRightToLeft
        review = file.review
        sources = file.texts
        self.patterns = patterns
        self.fallback = fallback
        rules = PluralRules(code: file.code)
    }

    /// The texts of a page, or of what several share.
    package func group(_ name: String) -> TextGroup { TextGroup(table: self, name: name) }

    func plain(_ key: String) -> String? {
        patterns[key].map { $0.filled([:], rules: rules, isolates: false) } ?? fallback?.plain(key)
    }

    func text(_ key: String, _ values: [String: any TextValue]) -> String {
        if let pattern = patterns[key] { return pattern.filled(values, rules: rules, isolates: isRightToLeft) }
        guard let fallback else {
            assertionFailure("there is no text \(key)")
            return key
        }
        return fallback.text(key, values)
    }
}

/// The texts of a page in one language: `texts["lead", ["app": app]]`.
package struct TextGroup: Sendable {
    package let table: TextTable
    private let name: String

    fileprivate init(table: TextTable, name: String) {
        self.table = table
        self.name = name
    }

    /// A text that has no places and may not exist.
    package func plain(_ key: String) -> String? { table.plain("\(name).\(key)") }

    /// The texts `key.first` to `key.third`; `nil` if there is none.
    package func list(_ key: String) -> [String]? {
        let texts = ["first", "second", "third"].compactMap { plain("\(key).\($0)") }
        return texts.isEmpty ? nil : texts
    }

    /// A text without places.
    package subscript(_ key: String) -> String { table.text("\(name).\(key)", [:]) }

    /// A text with its places filled.
    package subscript(_ key: String, _ values: [String: any TextValue]) -> String {
        table.text("\(name).\(key)", values)
    }

    /// A text whose form depends on a number, its place `count`.
    package subscript(_ key: String, count count: Int) -> String { table.text("\(name).\(key)", ["count": count]) }
}
