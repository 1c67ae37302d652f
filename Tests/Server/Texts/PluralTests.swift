import Testing

@testable import Texts

/// The categories are those of CLDR's table of cardinal rules for whole numbers; see the folder's README.
@Suite("Plural forms (Unicode CLDR)")
struct PluralTests {
    private static let samples = [0, 1, 2, 3, 4, 5, 10, 11, 12, 14, 15, 21, 22, 25, 99, 100, 101, 102, 103, 111, 112]
    private static let letters: [Character: PluralForm] = [
        "z": .zero, "1": .one, "2": .two, "f": .few, "m": .many, "o": .other,
    ]

    /// One letter for each sample; then the forms of 1 000, 1 000 000 and 1 000 001.
    @Test(arguments: [
        ("en", "o1ooooooooooooooooooo", "ooo"), ("de", "o1ooooooooooooooooooo", "ooo"),
        ("nl", "o1ooooooooooooooooooo", "ooo"), ("es", "o1ooooooooooooooooooo", "omo"),
        ("it", "o1ooooooooooooooooooo", "omo"), ("fr", "11ooooooooooooooooooo", "omo"),
        ("pt", "11ooooooooooooooooooo", "omo"), ("pl", "m1fffmmmmmmmfmmmmffmm", "mmm"),
        ("ja", "ooooooooooooooooooooo", "ooo"), ("ar", "z12ffffmmmmmmmmooofmm", "ooo"),
        ("ru", "m1fffmmmmmm1fmmm1ffmm", "mm1"), ("cs", "o1fffoooooooooooooooo", "ooo"),
    ])
    func `whole numbers take the forms that CLDR gives them`(_ code: String, _ small: String, _ large: String) {
        let rules = PluralRules(code: code)
        for (number, letter) in zip(Self.samples + [1_000, 1_000_000, 1_000_001], small + large) {
            #expect(rules.form(of: number) == Self.letters[letter], "\(code) \(number)")
            #expect(rules.form(of: -number) == rules.form(of: number))
            #expect(rules.forms.contains(rules.form(of: number)))
        }
    }

    @Test func `a region changes nothing, and an unknown language has two forms`() {
        #expect(PluralRules(code: "pl-PL").form(of: 2) == .few)
        #expect(PluralRules(code: "xx").forms == [.one, .other])
        #expect(PluralRules(code: "").form(of: 1) == .one)
        #expect(PluralRules(code: "pl").form(of: .min) == .many)
    }
}
