/// What is wrong with the texts of one language, measured by those of English.
package struct TextCheck: Sendable {
    /// The texts that are well-formed.
    package let patterns: [String: TextPattern]
    /// In the order of their keys.
    package let problems: [TextProblem]
    /// The keys that English has and this language lacks, in order, without those of the console.
    package let missing: [String]

    /// - Parameter english: nil if this is English itself.
    package init(_ file: TextFile, english: [String: TextPattern]?) {
        var patterns: [String: TextPattern] = [:], problems: [TextProblem] = []
        let rules = PluralRules(code: file.code)
        for (key, source) in file.texts.sorted(by: { $0.key < $1.key }) {
            do throws(TextProblem) {
                let pattern = try TextPattern(source)
                let known = english?[key]
                if english != nil, known == nil { throw TextProblem("there is no text of this key") }
                try Self.compare(pattern, with: known, rules: rules)
                patterns[key] = pattern
            } catch {
                problems.append(TextProblem(key: key, error.reason))
            }
        }
        self.patterns = patterns
        self.problems = problems
        missing = english.map { $0.keys.filter { file.texts[$0] == nil && !Self.isOfConsole($0) }.sorted() } ?? []
    }

    /// The console for operators speaks English and German alone.
    package static func isOfConsole(_ key: String) -> Bool { key.hasPrefix("console") }

    private static func compare(
        _ pattern: TextPattern, with english: TextPattern?, rules: PluralRules
    ) throws(TextProblem) {
        for forms in pattern.pluralForms {
            if let odd = forms.subtracting(rules.forms).map(\.rawValue).min() {
                throw TextProblem("the language has no plural form \(odd)")
            }
        }
        guard let english else { return }
        if let lost = english.places.keys.filter({ pattern.places[$0] == nil }).min() {
            throw TextProblem("the place {\(lost)} is missing")
        }
        for (name, place) in pattern.places.sorted(by: { $0.key < $1.key }) {
            guard let known = english.places[name] else { throw TextProblem("there is no place {\(name)}") }
            switch (place, known) {
            case (.value, _), (.number, .number): continue
            case (.choice(let words), .choice(let knownWords)):
                if let odd = words.subtracting(knownWords).min() {
                    throw TextProblem("{\(name)} is never \(odd)")
                }
            default: throw TextProblem("{\(name)} is of another kind")
            }
        }
    }
}
