import Testing
import Texts

@testable import Web

@Suite("Pages: the language")
struct LanguageTests {
    private let languages = Languages()

    @Test(
        arguments: [
            (nil, "ar,en;q=0.5", "ar"), (nil, "pt-PT", "pt"), (nil, "zh, ja;q=0.4", "ja"), (nil, "tlh", "en"),
            (nil, "pl;q=0.2, nl;q=0.8", "nl"), (nil, "fr;q=0, es", "es"), ("tlh it de", "ja", "it"),
            ("xx", "de_AT", "de"),
            ("", "", "en"), (nil, "FR-ca", "fr"),
        ] as [(String?, String, String)])
    func `the app's wish goes before the browser's, and English is for the rest`(
        _ wish: String?, _ header: String, _ code: String
    ) {
        #expect(languages.best(uiLocales: wish, acceptLanguage: header).code == code)
    }

    @Test func `Arabic pages are written from right to left, the others from left to right`() throws {
        let renderer = PageRenderer()
        for language in Language.all {
            let look = PageLook(language: language, colorScheme: .system, projectName: "Harbour")
            let html = renderer.html(DonePage(kind: .cancelled, way: nil), look: look)
            let direction = language.code == "ar" ? "rtl" : "ltr"
            #expect(html.contains("<html lang=\"\(language.code)\" dir=\"\(direction)\""))
        }
    }

    @Test func `a page shows the operator's words, escaped`() throws {
        var overrides = TextOverrides()
        overrides.add(language: "de", texts: ["done.lead.cancelled": "<b>Nichts</b> geschah."])
        let own = Languages(try TextCatalog(overrides: overrides.files))
        let look = PageLook(
            language: own.best(uiLocales: "de", acceptLanguage: nil), colorScheme: .system, projectName: "Harbour")
        let html = PageRenderer().html(DonePage(kind: .cancelled, way: nil), look: look)
        #expect(html.contains("&lt;b&gt;Nichts&lt;") && html.contains("geschah.") && !html.contains("<b>Nichts"))
    }
}
