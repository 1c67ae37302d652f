import Authority
import Foundation
import Testing

@testable import Web

/// `KEYTURN_GALLERY=folder` keeps every page in every state, in both languages, with its style sheet and script.
@Suite("Pages, in every state and language")
struct GalleryTests {
    private let renderer: PageRenderer

    init() throws { renderer = PageRenderer() }

    private func html(_ page: any Page, _ language: Language) -> String {
        renderer.html(page, look: PageLook(language: language, colorScheme: .system, projectName: "Harbour"))
    }

    @Test(arguments: Language.all.map(\.code))
    func `every page has one heading, a name, labels, one primary button, and nothing left empty`(_ code: String) throws
    {
        let language = try #require(Language.all.first { $0.code == code })
        for (name, page) in Gallery.plain.all {
            let html = html(page, language), label = Comment(rawValue: "\(name), \(code)")
            #expect(html.matches(of: #/<h1[ >]/#).count == 1, label)
            #expect(html.matches(of: #/data-page="/#).count == 1, label)
            #expect(html.contains("<body data-page=\"\(type(of: page).name)\">"), label)
            #expect(html.matches(of: #/<button class="primary/#).count <= 1, label)
            #expect(!html.contains("{{") && !html.contains("Optional("), label)
            #expect(
                html.firstMatch(of: #/<(h1|h2|p|li|label|button|summary|strong|em|dt|dd|a)\b[^>]*>\s*<\/\1>/#) == nil,
                label)
            #expect(!html.contains("=\"\" data") && !html.contains("action=\"\""), label)
            #expect(!html.contains(" style=") && !html.contains(" onclick="), label)
            checkFields(html, label)
            checkFirstButton(html, label)
        }
    }

    /// A page without a specimen would be seen by no other test here. The form post is a form for browsers alone.
    /// Those of the console are shown by a server, in `ConsoleRoleTests`.
    @Test func `every page has a specimen`() {
        let shown = Set(Gallery.plain.all.map { type(of: $0.page).template.name })
        let parts = PageTemplate.all.flatMap { $0.source.matches(of: #/{{>\s*(\w+)\s*}}/#).map { String($0.1) } }
        let pages = Set(PageTemplate.all.map(\.name).filter { !$0.hasPrefix("console") }).subtracting(parts)
        #expect(pages.subtracting(shown) == ["formPost", "layout"])
    }

    private func checkFields(_ html: String, _ label: Comment) {
        for field in html.matches(of: #/<(?:input|select)\b[^>]*>/#) {
            let tag = String(field.output)
            if tag.contains("type=\"hidden\"") || tag.contains(" hidden>") { continue }
            let id = tag.firstMatch(of: #/ id="([^"]+)"/#).map { String($0.1) } ?? ""
            #expect(html.contains("<label for=\"\(id)\""), label)
            let isChecked = tag.contains("checkbox")
            #expect(isChecked || tag.contains("autocomplete="), label)
        }
        for reference in html.matches(of: #/aria-describedby="([^"]+)"/#) {
            for id in reference.1.split(separator: " ") { #expect(html.contains("id=\"\(id)\""), label) }
        }
    }

    /// The key Enter presses a form's first button: it is never the one that refuses, unless there is nothing else.
    private func checkFirstButton(_ html: String, _ label: Comment) {
        for form in html.matches(of: #/<form\b[\s\S]*?<\/form>/#) {
            let buttons = form.output.matches(of: #/<button[^>]*type="submit"[^>]*>/#)
            #expect(buttons.count == 1 || buttons.first?.output.contains("value=\"deny\"") != true, label)
            #expect(buttons.filter { $0.output.contains("value=\"deny\"") }.count <= 1, label)
            // A form of ours bears the mark, and a form for another site must not.
            let isOurs = !form.output.contains("action=\"https://provider.test/")
            #expect(form.output.contains("name=\"csrf\"") == isOurs, label)
        }
    }

    @Test func `what strangers provide is text, whatever it holds`() {
        for (name, page) in Gallery.hostile.all {
            let html = html(page, Language.all[0]), label = Comment(rawValue: name)
            #expect(!html.contains("<script>alert"), label)
            #expect(!html.contains("'&{{"), label)
            let usesPasskeys = page.usesPasskeys || !page.signals.isEmpty
            #expect(html.matches(of: #/<script src="\/assets\//#).count == (usesPasskeys ? 2 : 1), label)
            #expect(html.matches(of: #/<script/#).count == (usesPasskeys ? 2 : 1), label)
            let policy = PageRenderer.contentSecurityPolicy(for: page)
            #expect(!policy.contains("script>") && policy.contains("script-src 'self'"), label)
        }
    }

    @Test func `without scripts there is no passkey, and no field of a form that has to do with one`() {
        for (name, page) in Gallery.plain.all {
            let html = html(page, Language.all[0]), label = Comment(rawValue: name)
            for button in html.matches(of: #/<button[^>]* data-passkey=[^>]*>/#) {
                #expect(button.output.contains(" type=\"button\"") && button.output.contains(" hidden>"), label)
            }
            #expect(!html.contains("name=\"passkey\"") && !html.contains("name=\"passkeys\""), label)
        }
    }

    @Test func `both languages say everything, and say it differently`() {
        for (name, page) in Gallery.plain.all {
            let titles = Language.all.map { page.title($0.strings) }
            let texts = Language.all.map { html(page, $0).replacing(#/<[^>]*>/#, with: "") }
            #expect(
                titles.allSatisfy { !$0.isEmpty } && Set(texts).count == Language.all.count, Comment(rawValue: name))
        }
    }

    @Test func `only a page that waits may connect, and it reloads without scripts until it is too late`() throws {
        for (name, page) in Gallery.plain.all {
            let policy = PageRenderer.contentSecurityPolicy(for: page)
            let waits = ["link-sent", "approval", "flow-end"].contains(type(of: page).name)
            let reloads = waits && !["link-sent-expired", "approval-over", "flow-end"].contains(name)
            #expect(policy.contains("connect-src") == waits, Comment(rawValue: name))
            #expect(
                html(page, Language.all[0]).contains("http-equiv=\"refresh\"")
                    == reloads,
                Comment(rawValue: name))
        }
    }

    @Test func `addresses that are not what they should be are left out`() {
        let setup = TOTPSetupPage(
            form: Gallery.plain.form("/totp-setup"), keyURI: "javascript:alert(1)",
            pictureURI: "https://evil.test/x.png",
            key: "ABCDEFGH", problem: nil)
        let html = html(setup, Language.all[0])
        #expect(!html.contains("javascript:") && !html.contains("evil.test") && html.contains("ABCD EFGH"))
    }

    @Test(arguments: [
        (1, "1 second", "1 Sekunde"), (30, "30 seconds", "30 Sekunden"), (90, "2 minutes", "2 Minuten"),
        (7_200, "2 hours", "2 Stunden"),
    ])
    func `lengths of time are in words`(_ seconds: Int, _ english: String, _ german: String) {
        #expect(Language.english.strings.time.duration(seconds) == english)
        #expect(Language.all.first { $0.code == "de" }?.strings.time.duration(seconds) == german)
    }

    @Test(arguments: [
        (59, "just now", "gerade eben"), (60, "1 minute ago", "vor 1 Minute"), (172_799, "1 day ago", "vor 1 Tag"),
        (172_800, "2 days ago", "vor 2 Tagen"), (70_000_000, "2 years ago", "vor 2 Jahren"),
    ])
    func `moments past are in words`(_ seconds: Int, _ english: String, _ german: String) {
        #expect(Language.english.strings.time.since(seconds) == english)
        #expect(Language.all.first { $0.code == "de" }?.strings.time.since(seconds) == german)
    }

    @Test(.enabled(if: ProcessInfo.processInfo.environment["KEYTURN_GALLERY"] != nil))
    func `the gallery is written where it is asked for`() throws {
        let folder = URL(fileURLWithPath: try #require(ProcessInfo.processInfo.environment["KEYTURN_GALLERY"]))
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("assets"), withIntermediateDirectories: true)
        for asset in PageRenderer.assets + Gallery.themes.map(\.asset) {
            try Data(asset.content).write(to: folder.appendingPathComponent(String(asset.path.dropFirst())))
        }
        for language in Language.all {
            for (name, page) in Gallery.plain.all {
                let html = html(page, language).replacing("\"/assets/", with: "\"assets/")
                try Data(html.utf8).write(to: folder.appendingPathComponent("\(name).\(language.code).html"))
            }
        }
    }
}
