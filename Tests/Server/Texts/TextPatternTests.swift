import Testing

@testable import Texts

@Suite("Texts with places")
struct TextPatternTests {
    private func fill(
        _ source: String, _ values: [String: any TextValue] = [:], code: String = "en", isolates: Bool = false
    ) throws -> String {
        try TextPattern(source).filled(values, rules: PluralRules(code: code), isolates: isolates)
    }

    private func refusal(_ source: String) -> String? {
        #expect(throws: TextProblem.self) { try TextPattern(source) }?.reason
    }

    @Test(arguments: [
        ("Sign in to {app}", "Sign in to Harbour"), ("{ app }s", "Harbours"), ("it’s", "it’s"), ("it's", "it's"),
        ("o''clock", "o'clock"), ("'{app}' stays", "{app} stays"), ("# stays", "# stays"), ("", ""),
    ])
    func `places are filled, and quoted braces stay`(_ source: String, _ text: String) throws {
        #expect(try fill(source, ["app": "Harbour"]) == text)
    }

    @Test(arguments: [(0, "none"), (1, "1 file"), (2, "2 files"), (21, "21 files")])
    func `a plural takes an exact number first, then the form`(_ count: Int, _ text: String) throws {
        #expect(try fill("{count, plural, =0 {none} one {# file} other {# files}}", ["count": count]) == text)
    }

    @Test(arguments: [("email", "by mail to A"), ("sms", "to A"), ("", "to A")])
    func `a choice takes its word, else other`(_ kind: String, _ text: String) throws {
        let source = "{kind, select, email {by mail to {name}} other {to {name}}}"
        #expect(try fill(source, ["kind": kind, "name": "A"]) == text)
    }

    @Test func `a plural in a choice in a plural counts its own number`() throws {
        let source = "{a, plural, other {{k, select, x {{b, plural, other {#}} of #} other {}}}}"
        #expect(try fill(source, ["a": 5, "b": 3, "k": "x"]) == "3 of 5")
    }

    @Test func `a value is put in as it is, and never read as a text with places`() throws {
        #expect(try fill("Hello {name}", ["name": "{app} <b># '"]) == "Hello {app} <b># '")
        #expect(try fill("Hello {name}!") == "Hello !")
    }

    @Test func `values are isolated where the language is written from right to left`() throws {
        #expect(
            try fill("إلى {address}.", ["address": "a@b.test"], code: "ar", isolates: true)
                == "إلى \u{2068}a@b.test\u{2069}.")
        #expect(try fill("{n}", ["n": 3], code: "ar", isolates: true) == "3")
    }

    @Test(arguments: [
        "{", "}", "{}", "{ }", "a } b", "{app", "{app,", "{app, plural}", "{app, plural,}", "{app, plural, other}",
        "{app, plural, other {}", "{app, plural, one {x}}", "{app, plural, uno {x} other {x}}",
        "{app, plural, one {x} one {y} other {z}}", "{app, plural, =x {x} other {y}}",
        "{app, plural, =1000 {x} other {y}}", "{app, plural, =1 {x} =1 {x} other {y}}", "{app, select, a {x}}",
        "{app, select, a {x} a {x} other {y}}", "{app, select, =1 {x} other {y}}", "{app, date, short}", "{app app}",
        "{1app}", "{=}", "{a=b}", "{äpp}", "'{ never ends",
        "tab\t", "line\nbreak", "null\u{0}", "\u{202e}turned", "\u{2066}isolated", "\u{2028}", "\u{85}",
    ])
    func `what is not well-formed is refused, with the place`(_ source: String) {
        #expect(refusal(source)?.contains("(character ") == true)
    }

    @Test func `depth, branches, parts, names and length are bounded`() {
        func nested(_ depth: Int) -> String {
            String(repeating: "{n, plural, other {", count: depth) + String(repeating: "}}", count: depth)
        }
        #expect(throws: Never.self) { try TextPattern(nested(TextLimits.depthMax)) }
        #expect(refusal(nested(TextLimits.depthMax + 1))?.contains("inside each other") == true)
        #expect(refusal(nested(200)) != nil)
        let branches = (0...TextLimits.branchesMax).map { "=\($0) {}" }.joined(separator: " ")
        #expect(refusal("{n, plural, \(branches) other {}}")?.contains("too many branches") == true)
        #expect(refusal(String(repeating: "{a}", count: TextLimits.partsMax + 1))?.contains("more than") == true)
        #expect(refusal("{\(String(repeating: "a", count: TextLimits.nameBytesMax + 1))}") != nil)
        #expect(throws: Never.self) { try TextPattern(String(repeating: "a", count: TextLimits.textBytesMax)) }
        #expect(refusal(String(repeating: "a", count: TextLimits.textBytesMax + 1))?.contains("longer") == true)
    }

    @Test func `places are known, with what each is filled with`() throws {
        let pattern = try TextPattern("{a} {b, plural, other {{c}}} {k, select, x {} other {}} {k}")
        #expect(
            pattern.places == ["a": .value, "b": .number, "c": .value, "k": .choice(["x", "other"])])
    }
}
