/// A text with named places, as it is written in a language's file.
///
/// The form is a part of ICU's MessageFormat: `{app}`, `{count, plural, one {# device} other {# devices}}` and
/// `{kind, select, email {…} other {…}}`. Values are put in as they are: the page's template escapes the whole.
package struct TextPattern: Hashable, Sendable {
    /// What a place is filled with.
    package enum Place: Hashable, Sendable {
        /// A text or a number, as it is.
        case value
        /// A number that decides between forms.
        case number
        /// One of these words decides.
        case choice(Set<String>)
    }

    indirect enum Part: Hashable, Sendable {
        case literal(String)
        case place(String)
        /// The number of the plural around it (`#`).
        case count(String)
        case plural(String, exact: [Int: [Part]], forms: [PluralForm: [Part]])
        case choice(String, [String: [Part]])
    }

    let parts: [Part]
    /// The places and what each is filled with.
    package let places: [String: Place]
    /// The forms that each plural has, for the check against the language's rules.
    package let pluralForms: [Set<PluralForm>]

    /// - Throws: ``TextProblem`` with what is wrong, and where.
    package init(_ source: String) throws(TextProblem) {
        var parser = TextPatternParser(source)
        parts = try parser.parse()
        places = parser.places
        pluralForms = parser.pluralForms
    }

    /// The text with its places filled.
    ///
    /// - Parameters:
    ///   - values: what has no value stays empty.
    ///   - isolates: whether each value is wrapped in Unicode's isolates, so that an address keeps its order in a
    ///     sentence that is written from right to left.
    package func filled(_ values: [String: any TextValue], rules: PluralRules, isolates: Bool) -> String {
        var text = ""
        append(parts, values, rules, isolates, to: &text)
        return text
    }

    private func append(
        _ parts: [Part], _ values: [String: any TextValue], _ rules: PluralRules, _ isolates: Bool,
        to text: inout String
    ) {
        for part in parts {
            switch part {
            case .literal(let literal): text += literal
            case .place(let name):
                guard let value = values[name]?.text, !value.isEmpty else { continue }
                text += isolates && values[name]?.number == nil ? "\u{2068}\(value)\u{2069}" : value
            case .count(let name): text += values[name]?.text ?? ""
            case .plural(let name, let exact, let forms):
                let number = values[name]?.number
                let branch =
                    number.flatMap { exact[$0] ?? forms[rules.form(of: $0)] } ?? forms[.other] ?? []
                append(branch, values, rules, isolates, to: &text)
            case .choice(let name, let branches):
                let branch = values[name].flatMap { branches[$0.text] } ?? branches["other"] ?? []
                append(branch, values, rules, isolates, to: &text)
            }
        }
    }
}

/// What fills a place: a text, or a number that also decides between plural forms.
package protocol TextValue: Sendable {
    var text: String { get }
    var number: Int? { get }
}

extension String: TextValue {
    package var text: String { self }
    package var number: Int? { nil }
}

extension Int: TextValue {
    package var text: String { String(self) }
    package var number: Int? { self }
}
