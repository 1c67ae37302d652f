import Testing

@testable import Web

@Suite("Consent: the mark and the links of an app")
struct ConsentMarkTests {
    private func html(_ name: String, policy: String? = nil, terms: String? = nil) throws -> String {
        let page = ConsentPage(
            transaction: "sealed", csrf: "mark", clientName: name, policyURI: policy, tosURI: terms, userName: "Maria",
            scopes: ["openid"], isUnverified: false, destination: "https://harbour.example", redirectOrigins: [])
        return PageRenderer().html(
            page, look: PageLook(language: Language.all[0], colorScheme: .system, projectName: "Harbour"))
    }

    @Test(arguments: [("Harbour", "H"), ("übersee", "Ü"), ("7-Up", "7"), ("日本", "日")])
    func `an app is marked by its first letter`(_ name: String, _ mark: String) throws {
        #expect(try html(name).contains("<p class=\"initial\" aria-hidden=\"true\">\(mark)</p>"))
    }

    @Test(arguments: ["<script>", "…", "\u{202E}evil", "", " Harbour"])
    func `a name that begins with something else has no mark`(_ name: String) throws {
        #expect(try !html(name).contains("class=\"initial\""))
    }

    @Test func `links are shown if they are https, and no empty line stands in for others`() throws {
        let both = try html("Harbour", policy: "https://h.example/privacy", terms: "https://h.example/terms")
        #expect(both.contains("href=\"https://h.example/privacy\"") && both.contains("Terms of service"))
        let neither = try html("Harbour", policy: "http://h.example/privacy", terms: "javascript:alert(1)")
        #expect(!neither.contains("h.example/privacy") && !neither.contains("javascript:"))
        #expect(neither.matches(of: #/<p class="note">/#).count == 1, "where it leads, and no more")
    }
}
