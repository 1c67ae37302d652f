import Testing

@testable import keyturn

@Suite("Suggestions")
struct SuggestionTests {
    @Test(
        "`a slip is recognised, another word is not`",
        arguments: [
            ("redirect_uri", "redirect_uris" as String?), ("Issuer", "issuer"), ("isseur", "issuer"),
            ("clinets", "clients"),
            ("xyz", nil), ("", nil), ("completely_different", nil),
        ])
    func nearest(name: String, expected: String?) {
        #expect(Suggestion.nearest(to: name, among: ["issuer", "clients", "redirect_uris", "users"]) == expected)
    }
}
