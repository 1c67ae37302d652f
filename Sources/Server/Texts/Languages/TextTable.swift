internal import Synchronization

/// The texts of one language, with English where it has none.
///
/// Those of a language that ships are parsed when a page or a message first needs them: most servers speak few languages.
package final class TextTable: Sendable {
    /// The texts, parsed and checked.
    struct Contents: Sendable {
        let file: TextFile
        let patterns: [String: TextPattern]
        /// The keys that English has and this language lacks, in order.
        let missing: [String]
    }

    /// BCP 47, such as `de`.
    package let code: String
    private let rules: PluralRules
    private let fallback: TextTable?
    private let parse: @Sendable () -> Contents
    private let parsed = Mutex<Contents?>(nil)

    /// - Parameter parse: called once, when something but the code is first asked for.
    init(code: String, fallback: TextTable?, parse: @escaping @Sendable () -> Contents) {
        self.code = code
        self.fallback = fallback
        self.parse = parse
        rules = PluralRules(code: code)
    }

    private var contents: Contents {
        parsed.withLock { parsed in
            if let parsed { return parsed }
            let contents = parse()
            parsed = contents
            return contents
        }
    }

    /// What the language calls itself.
    package var name: String { contents.file.name }
    package var isRightToLeft: Bool { contents.file.isRightToLeft }
    package var review: TextFile.Review? { contents.file.review }
    /// The keys that it says in its own words.
    package var patterns: [String: TextPattern] { contents.patterns }
    /// As they are written.
    package var sources: [String: String] { contents.file.texts }
    var missing: [String] { contents.missing }

    /// The texts of a page, or of what several share.
    package func group(_ name: String) -> TextGroup { TextGroup(table: self, name: name) }

    func plain(_ key: String) -> String? {
        patterns[key].map { $0.filled([:], rules: rules, isolates: false) } ?? fallback?.plain(key)
    }

    func text(_ key: String, _ values: [String: any TextValue]) -> String {
        let contents = contents
        if let pattern = contents.patterns[key] {
            return pattern.filled(values, rules: rules, isolates: contents.file.isRightToLeft)
        }
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
