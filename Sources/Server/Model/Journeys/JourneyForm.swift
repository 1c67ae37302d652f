public import KeyturnBase

/// The attributes that a step of a journey asks for.
public struct JourneyForm: Hashable, Sendable {
    public let fields: [JourneyField]
    /// The greatest number of fields that one sign-in asks for; `nil`: all that are missing. Required fields come
    /// first.
    public let fieldsMax: Int?

    public init(_ fields: [JourneyField], fieldsMax: Int? = nil) {
        self.fields = fields
        self.fieldsMax = fieldsMax
    }

    /// The fields that a page asks for, of a user with these attributes.
    public func missing(from attributes: Set<String>) -> [JourneyField] {
        let missing = fields.filter { !attributes.contains($0.name) }
        guard let fieldsMax else { return missing }
        return Array((missing.filter(\.isRequired) + missing.filter { !$0.isRequired }).prefix(fieldsMax))
    }
}

/// An attribute that users fill in, and what it must be like.
public struct JourneyField: Hashable, Sendable {
    /// What can be filled in.
    public enum Kind: Hashable, Sendable {
        /// One line, of a length in characters.
        case text(length: ClosedRange<Int>, mask: JourneyMask?)
        case number(within: ClosedRange<Int64>)
        /// A day, as `2026-11-24`; at least so many whole years ago.
        case date(minimumAge: Int?)
        /// One of these values.
        case choice([JourneyOption])
        /// A box that is ticked or not.
        case boolean
    }

    /// A standard claim, or a custom attribute.
    public let name: String
    /// Whether it is one of the standard claims (OpenID Connect Core §5.1), which clients read with a scope.
    public let isClaim: Bool
    public let kind: Kind
    public let isRequired: Bool
    public let label: LocalizedText

    public init(_ name: String, isClaim: Bool, _ kind: Kind, isRequired: Bool = true, label: LocalizedText) {
        self.name = name
        self.isClaim = isClaim
        self.kind = kind
        self.isRequired = isRequired
        self.label = label
    }

    /// The claims that users may fill in: no client takes them for verified.
    public static let claims: Set<String> = [
        "name", "given_name", "family_name", "middle_name", "nickname", "profile", "picture", "website", "gender",
        "birthdate", "zoneinfo", "locale",
    ]
}

/// A value of a choice.
public struct JourneyOption: Hashable, Sendable {
    public let value: String
    /// Empty: the value itself is shown.
    public let label: LocalizedText

    public init(_ value: String, label: LocalizedText = LocalizedText()) {
        self.value = value
        self.label = label
    }
}

/// The form of a text, such as `AA-9999`: `A` is a letter, `9` a digit, `*` either; any other character is itself.
///
/// Unlike a regular expression, it takes the same time for every text.
public struct JourneyMask: Hashable, Sendable {
    public let pattern: String

    public init(_ pattern: String) { self.pattern = pattern }

    public func accepts(_ text: String) -> Bool {
        text.count == pattern.count
            && zip(text, pattern).allSatisfy { character, sign in
                switch sign {
                case "A": character.isLetter
                case "9": character.isASCII && character.isNumber
                case "*": character.isLetter || character.isASCII && character.isNumber
                default: character == sign
                }
            }
    }
}

extension JourneyField {
    /// Why a value was refused.
    public enum Refusal: Hashable, Sendable, Error {
        case missing, invalid
        case tooYoung(years: Int)
        case length(ClosedRange<Int>)
        case range(ClosedRange<Int64>)
        case form(String)
    }

    /// The value of what a user typed; `nil`: nothing was typed, which the field permits.
    ///
    /// - Parameter today: the day, by UTC.
    public func value(of typed: String, today: CivilDay) throws(Refusal) -> JSONValue? {
        let text = Self.trimmed(typed)
        if case .boolean = kind {
            guard text == "true" || !isRequired else { throw .missing }
            return .bool(text == "true")
        }
        guard !text.isEmpty else {
            guard isRequired else { return nil }
            throw .missing
        }
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw .invalid
        }
        switch kind {
        case .text(let length, let mask):
            guard length.contains(text.count) else { throw .length(length) }
            if let mask, !mask.accepts(text) { throw .form(mask.pattern) }
            return .string(text)
        case .number(let range):
            guard text.utf8.count <= 20, let number = Int64(text) else { throw .invalid }
            guard range.contains(number) else { throw .range(range) }
            return .integer(number)
        case .date(let minimumAge):
            guard let day = CivilDay(text), day <= today else { throw .invalid }
            if let minimumAge, day.years(until: today) < minimumAge { throw .tooYoung(years: minimumAge) }
            return .string(text)
        case .choice(let options):
            guard options.contains(where: { $0.value == text }) else { throw .invalid }
            return .string(text)
        case .boolean:
            return nil
        }
    }

    private static func trimmed(_ text: String) -> String {
        let rest = text.drop(while: \.isWhitespace)
        return String(rest[..<(rest.lastIndex { !$0.isWhitespace }.map(rest.index(after:)) ?? rest.startIndex)])
    }
}
