internal import KeyturnBase
internal import Model
internal import Texts

/// Reads the fields of a `collect` step.
enum JourneyFieldReader {
    private enum Kind: String, CaseIterable {
        case text, number, date, choice, boolean
    }

    private static let keys = ["name", "type", "required", "label", "min", "max", "min_age", "mask", "choices"]

    static func form(_ section: Section) -> JourneyForm? {
        guard let inner = section.section("collect", keys: ["fields", "at_most"]) else { return nil }
        let sections = inner.sections("fields", keys: keys)
        guard (1...Limits.journeyFieldsMax).contains(sections.count) else {
            inner.mistake("fields", "there are \(sections.count)", "Give 1 to \(Limits.journeyFieldsMax) fields.")
            return nil
        }
        let fields = sections.compactMap(field)
        let most = inner.integer("at_most", within: 1...Limits.journeyFieldsMax)
        if let most, most < fields.count(where: \.isRequired) {
            inner.mistake("at_most", "more fields are required", "Raise it, or set required: false in some of them.")
        }
        guard fields.count == sections.count else { return nil }
        if Set(fields.map(\.name)).count < fields.count {
            inner.mistake("fields", "two fields have one name", "Ask for each attribute once.")
            return nil
        }
        return JourneyForm(fields, fieldsMax: most)
    }

    private static func field(_ section: Section) -> JourneyField? {
        guard let name = section.text("name", bytesMax: Limits.journeyNameBytesMax) else {
            section.mistake("name", "it is missing", "Name a claim, such as given_name, or an attribute of your own.")
            return nil
        }
        let isClaim = JourneyField.claims.contains(name.value)
        let refusal =
            !isClaim && reserved.contains(name.value)
            ? Refusal("users cannot fill it in here", "Addresses are verified in their own steps.")
            : TextRules.identifier(name.value)
        guard section.reading.check(refusal, name) else { return nil }
        let label = LocalizedTextReader.read("label", section)
        if label.isEmpty {
            section.mistake("label", "it is missing", "Say what is asked: label: {en: \"Company\", de: \"Firma\"}.")
        }
        guard let kind = kind(section) else { return nil }
        return JourneyField(
            name.value, isClaim: isClaim, kind, isRequired: section.boolean("required") ?? true, label: label)
    }

    /// Claims that the server itself answers for.
    private static let reserved: Set<String> = [
        "sub", "email", "email_verified", "phone_number", "phone_number_verified", "preferred_username", "address",
        "updated_at",
    ]

    private static func kind(_ section: Section) -> JourneyField.Kind? {
        let whole = -1_000_000_000...1_000_000_000
        switch section.choice("type", of: Kind.self) ?? .text {
        case .text:
            let lengths = 0...Limits.journeyTextLengthMax
            let least = section.integer("min", within: lengths) ?? 1
            let most = section.integer("max", within: lengths) ?? 200
            guard least <= most else {
                section.mistake("max", "it is less than min", "Raise it.")
                return nil
            }
            return .text(
                length: least...most,
                mask: section.text("mask", bytesMax: Limits.journeyTextLengthMax).map { JourneyMask($0.value) })
        case .number:
            let least = section.integer("min", within: whole) ?? whole.lowerBound
            let most = section.integer("max", within: whole) ?? whole.upperBound
            guard least <= most else {
                section.mistake("max", "it is less than min", "Raise it.")
                return nil
            }
            return .number(within: Int64(least)...Int64(most))
        case .date: return .date(minimumAge: section.integer("min_age", within: 0...150))
        case .boolean: return .boolean
        case .choice:
            let sections = section.sections("choices", keys: ["value", "label"])
            let options = sections.compactMap { inner in
                inner.text("value", bytesMax: ConfigurationLimits.nameBytesMax).map {
                    JourneyOption($0.value, label: LocalizedTextReader.read("label", inner))
                }
            }
            guard !options.isEmpty, options.count == sections.count else {
                section.mistake(
                    "choices", "there is no value to choose", "Write choices: [{value: small, label: \"Small\"}, …].")
                return nil
            }
            return .choice(options)
        }
    }
}

/// Reads a text: one for all languages, or one for each.
enum LocalizedTextReader {
    static func read(_ key: String, _ section: Section) -> LocalizedText {
        guard let node = section.node(key) else { return LocalizedText() }
        guard case .map = node.value.content else {
            return LocalizedText(section.text(key).map { ["en": $0.value] } ?? [:])
        }
        guard let inner = section.section(key, keys: nil) else { return LocalizedText() }
        var texts: [String: String] = [:]
        for language in inner.keys {
            if !TextOverrides.isCode(language) {
                inner.mistake(language, "it is not the code of a language", "Write en, de, pt-PT and so on.")
            }
            texts[language] = inner.text(language)?.value
        }
        return LocalizedText(texts)
    }
}
