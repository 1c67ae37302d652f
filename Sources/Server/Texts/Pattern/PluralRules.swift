/// The forms that languages have for numbers (Unicode CLDR, cardinal rules).
package enum PluralForm: String, Hashable, Sendable, CaseIterable {
    case zero, one, two, few, many, other
}

/// Which form a whole number takes in a language, after the cardinal rules of Unicode CLDR 46.
package struct PluralRules: Hashable, Sendable {
    private enum Family: Hashable, Sendable {
        case oneOther, zeroOneOther, none, romance, romanceZero, polish, eastSlavic, czech, arabic
    }

    private static let families: [String: Family] = [
        "fr": .romanceZero, "pt": .romanceZero, "es": .romance, "it": .romance, "ca": .romance,
        "pl": .polish, "ru": .eastSlavic, "uk": .eastSlavic, "be": .eastSlavic, "cs": .czech, "sk": .czech,
        "ja": .none, "zh": .none, "ko": .none, "vi": .none, "th": .none, "id": .none, "ms": .none,
        "hi": .zeroOneOther, "fa": .zeroOneOther, "bn": .zeroOneOther, "ar": .arabic,
    ]

    private let family: Family

    /// - Parameter code: BCP 47, such as `pl`. Languages that are not in the table have one form for 1 and one for
    ///   every other number.
    package init(code: String) {
        family = Self.families[String(code.prefix { $0 != "-" })] ?? .oneOther
    }

    /// The forms that whole numbers take, `other` among them.
    package var forms: Set<PluralForm> {
        switch family {
        case .none: [.other]
        case .oneOther, .zeroOneOther: [.one, .other]
        case .romance, .romanceZero: [.one, .many, .other]
        case .polish, .eastSlavic: [.one, .few, .many, .other]
        case .czech: [.one, .few, .many, .other]
        case .arabic: [.zero, .one, .two, .few, .many, .other]
        }
    }

    /// The form of a number; a negative one takes that of its amount.
    package func form(of number: Int) -> PluralForm {
        let number = number.magnitude, ten = number % 10, hundred = number % 100
        switch family {
        case .none: return .other
        case .oneOther: return number == 1 ? .one : .other
        case .zeroOneOther: return number <= 1 ? .one : .other
        case .romance, .romanceZero:
            if number == 1 || (number == 0 && family == .romanceZero) { return .one }
            return number != 0 && number % 1_000_000 == 0 ? .many : .other
        case .polish:
            if number == 1 { return .one }
            return (2...4).contains(ten) && !(12...14).contains(hundred) ? .few : .many
        case .eastSlavic:
            if ten == 1 && hundred != 11 { return .one }
            return (2...4).contains(ten) && !(12...14).contains(hundred) ? .few : .many
        case .czech:
            return number == 1 ? .one : (2...4).contains(number) ? .few : .other
        case .arabic:
            switch number {
            case 0: return .zero
            case 1: return .one
            case 2: return .two
            default:
                return (3...10).contains(hundred) ? .few : (11...99).contains(hundred) ? .many : .other
            }
        }
    }
}
