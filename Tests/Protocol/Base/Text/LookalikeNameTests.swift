import Testing
@testable import KeyturnBase

@Suite("Names that look like others")
struct LookalikeNameTests {
    @Test(arguments: [
        "ad\u{200B}minz", "a\u{202E}b1", "mar\u{AD}ia", "ann\u{FE0F}", "a\u{E0101}n", "\u{3164}", "a\u{115F}b",
        "a\u{2066}b\u{2069}",
        "a\u{34F}b", "a\u{E000}b", "a\u{10FFFF}b", "a\u{378}b", "a\u{2028}b", "a\u{200D}b", "a\u{FEFF}b", "a\u{180E}b",
        "a\u{1680}b", "a\tb", "a\u{0}b", "a\u{E0041}b", "a\u{FFF9}b", "a\u{17B5}b",
    ])
    func `what is not seen is found`(_ name: String) {
        guard case .hidden = LookalikeName.flaw(in: name) else {
            Issue.record("\(VisibleText.shown(name)): \(String(describing: LookalikeName.flaw(in: name)))")
            return
        }
    }

    @Test(arguments: [
        ("\u{301}ann", LookalikeName.Flaw.leadingMark), ("ann  smith", .blanks), ("\u{5D0}\u{5D1}1a", .directions),
        ("1\u{5D0}\u{5D1}", .directions),
        ("a\u{5D0}", .directions), ("\u{627}\u{661}1", .directions), ("\u{5D0}.", .directions),
        ("\u{430}dmin", .alphabets), ("\u{3BF}range", .alphabets),
        ("p\u{430}ypal", .alphabets), ("m\u{430}\u{3B1}", .alphabets),
    ])
    func `what is seen as something else is found`(_ name: String, _ flaw: LookalikeName.Flaw) {
        #expect(LookalikeName.flaw(in: name) == flaw)
    }

    @Test(arguments: [
        "ann", "ann smith", "o'neil+tag", "r\u{E9}n\u{E9}e", "re\u{301}ne", "анна", "анна.smith", "анна-1990", "αλέξης",
        "山田太郎", "한국어",
        "\u{5D0}\u{5D1}\u{5D2}12", "\u{645}\u{62D}\u{645}\u{62F}\u{661}\u{662}", "สมชาย", "नमस्ते", "😀", "",
    ])
    func `what is what it seems has no flaw`(_ name: String) {
        #expect(LookalikeName.flaw(in: name) == nil)
    }

    @Test(arguments: [
        ("ad\u{200B}minz", "ad[U+200B]minz"), ("a\u{202E}b1", "a[U+202E]b1"), ("ann", "ann"),
        ("r\u{E9}n\u{E9}e", "r\u{E9}n\u{E9}e"),
        ("a\u{A0}b", "a[U+00A0]b"), ("\u{E0101}", "[U+E0101]"), ("a\nb", "a[U+000A]b"), ("a b", "a b"),
    ])
    func `operators see everything`(_ text: String, _ shown: String) {
        #expect(VisibleText.shown(text) == shown)
    }

    @Test func `texts of apps may hold emoji, and no fillers`() {
        #expect(VisibleText.holds("Heart \u{2764}\u{FE0F}"))
        #expect(!VisibleText.holds("\u{3164}"))
        #expect(!VisibleText.holds("a\u{E0101}"))
        #expect(!VisibleText.holds(.object(["a": .array([.string("b\u{200B}")])])))
    }
}
