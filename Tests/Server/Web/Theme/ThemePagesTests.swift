import Identity
import KeyturnBase
import ServerTesting
import Testing

@testable import Web

@Suite("Themes: pages and files")
struct ThemePagesTests {
    private static func theme(_ change: (inout UnverifiedTheme) throws -> Void = { _ in }) throws -> Theme {
        var theme = UnverifiedTheme()
        theme.light = [.accent: HexColor(red: 0x7a, green: 0x1f, blue: 0x5c)]
        theme.logo = try ThemeLogo(bytes: Array(LogoTests.svg.utf8))
        try change(&theme)
        return try theme.verified()
    }

    private static let demonstration = Demonstration(username: "a", password: "b", clientID: "tool", commands: [])

    private func html(_ theme: Theme?, scheme: ColorScheme = .system) throws -> String {
        let look = PageLook(language: .english, colorScheme: scheme, projectName: "Harbour")
        return PageRenderer(theme: theme).html(HomePage(issuer: "https://id.example.test", demo: nil), look: look)
    }

    @Test func `without a theme the pages and their style sheet are the built-in ones`() throws {
        #expect(PageRenderer.stylesheet.path == "/assets/keyturn-e88b0f9050073259.css")
        let page = try html(nil)
        #expect(page.matches(of: #/<link rel="stylesheet"/#).count == 1)
        #expect(
            page.contains(
                """
                <link rel="stylesheet" href="/assets/keyturn-e88b0f9050073259.css">
                <script src=
                """))
        #expect(page.contains("<header class=\"brand\">\n<svg class=\"mark\" viewBox="))
        #expect(page.contains("</svg>\n<span>Harbour</span>\n</header>\n<main") && !page.contains("<picture"))
        #expect(page.contains("data-theme=\"system\""))
    }

    @Test func `a theme is a style sheet after the built-in one, and a picture`() throws {
        let page = try html(try Self.theme())
        #expect(
            page.firstMatch(
                of: #/keyturn-[0-9a-f]{16}\.css">\n<link rel="stylesheet" href="\/assets\/theme-[0-9a-f]{16}\.css">/#)
                != nil)
        #expect(
            page.firstMatch(
                of:
                    #/<picture class="logo"><img src="\/assets\/logo-[0-9a-f]{16}\.svg" alt=""><\/picture>\n<span>Harbour<\/span>/#
            ) != nil)
        #expect(!page.contains("<svg class=\"mark\"") && !page.contains(" style="))
        let nameless = try html(try Self.theme { $0.showsName = false })
        #expect(nameless.contains("alt=\"Harbour\"></picture>\n</header>"))
    }

    @Test func `dark pages have the dark picture, whoever chose them`() throws {
        let theme = try Self.theme { $0.darkLogo = try ThemeLogo(bytes: LogoTests.png()) }
        let system = try html(theme)
        #expect(system.contains("<source srcset=\"/assets/logo-dark-") && system.contains("<img src=\"/assets/logo-"))
        let dark = try html(theme, scheme: .dark)
        #expect(dark.contains("<img src=\"/assets/logo-dark-") && !dark.contains("<source"))
        #expect(try html(theme, scheme: .light).contains("logo-dark") == false)
    }

    @Test func `another content has another address`() throws {
        let one = PageTheme(try Self.theme()), other = PageTheme(try Self.theme { $0.cornerPixels = 0 })
        #expect(one.stylesheet.path != other.stylesheet.path)
        #expect(PageTheme(try Self.theme()).assets.map(\.path) == one.assets.map(\.path))
    }

    @Test func `the style sheet sets every colour of both schemes, and no other address`() throws {
        let text = ThemeStylesheet(theme: try Self.theme { $0.font = .serif }).text
        for role in ColorRole.allCases { #expect(text.matches(of: try Regex("[ ;{]\(role.property): #")).count == 3) }
        #expect(text.matches(of: #/--accent: #7a1f5c;/#).count == 1)
        #expect(text.contains("--ring: #7a1f5c;") && text.contains("body { font-family: ui-serif,"))
        #expect(!text.contains("url(") && !text.contains("@import") && !text.contains("border-radius"))
        let used = Set(text.matches(of: #/var\((--[\w-]+)\)/#).map { String($0.1) })
        #expect(used == ["--accent-hover", "--alert-hover"])
    }

    /// What has a radius in the style sheet gets one of the theme, but for circles, pills and the marks of providers.
    @Test func `corners reach everything that has some`() throws {
        let css = String(decoding: PageRenderer.stylesheet.content, as: UTF8.self)
        let known = Dictionary(
            uniqueKeysWithValues: ThemeStylesheet.rounded.flatMap { row in
                row.selectors.split(separator: ", ").map { (String($0), row.thousandths) }
            } + [(ThemeStylesheet.card.selector, ThemeStylesheet.card.thousandths)])
        var found: [String: Int] = [:]
        for rule in css.matches(of: #/\n *([^{}\n@;]+) \{([^{}]*)\}/#) {
            guard let radius = rule.2.firstMatch(of: #/border-radius: ([.0-9]+)rem/#), let rem = Double("0\(radius.1)")
            else { continue }
            for selector in rule.1.split(separator: ", ") {
                found[String(selector)] = Int(((radius.1.hasPrefix(".") ? rem : Double(radius.1) ?? 0) * 1_000))
            }
        }
        for other in [".badge", ".identity .mark", ".provider .mark"] {
            #expect(found.removeValue(forKey: other) != nil, "\(other)")
        }
        #expect(found == known)
        let sharp = ThemeStylesheet(theme: try Self.theme { $0.cornerPixels = 0 }).text
        #expect(Set(sharp.matches(of: #/border-radius: (\w+)/#).map { String($0.1) }) == ["0px"])
        let round = ThemeStylesheet(theme: try Self.theme { $0.cornerPixels = 10 }).text
        #expect(round.contains("input, select, .primary,") && round.contains(" { border-radius: 10px; }"))
        #expect(round.contains("main { border-radius: 20px; }"))
    }

    @Test func `files are served for good, and a picture can do nothing`() async throws {
        let server = try await TestServer.start(theme: try Self.theme())
        let page = try await server.get("/")
        let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
        for (match, type, expected) in [
            (page.body.firstMatch(of: #/src="(\/assets\/logo-[^"]+)"/#), "image/svg+xml", policy),
            (page.body.firstMatch(of: #/href="(\/assets\/theme-[^"]+)"/#), "text/css; charset=utf-8", nil),
        ] {
            let answer = try await server.get(String(try #require(match).1))
            #expect(answer.status == 200 && answer.headers["content-type"] == type)
            #expect(answer.headers["content-security-policy"] == expected)
            #expect(answer.headers["x-content-type-options"] == "nosniff")
            #expect(answer.headers["cache-control"] == "public, max-age=31536000, immutable")
        }
        let csp = try #require(page.headers["content-security-policy"])
        #expect(csp.contains("style-src 'self'; ") && csp.contains("img-src 'self' data:"))
        #expect(try await server.get("/dev/theme").status == 404)
        await server.stop()
    }

    @Test func `the colours of a theme are used where the app does not ask`() async throws {
        let server = try await TestServer.start(theme: try Self.theme { $0.colorScheme = .dark })
        let page = try await server.get("/")
        #expect(page.body.contains("data-theme=\"dark\"") && page.body.contains("content=\"dark\""))
        let wished = try await server.visit("/settings?x_color_scheme=light", in: server.browser())
        #expect(wished.body.contains("data-theme=\"light\""))
        await server.stop()
    }

    @Test func `the preview shows both schemes, and every pair`() async throws {
        let server = try await TestServer.start(demonstration: Self.demonstration, theme: try Self.theme())
        let page = try await server.get("/dev/theme")
        #expect(page.status == 200 && page.body.matches(of: #/<tr><th scope="row">/#).count == ContrastPair.all.count)
        #expect(page.body.contains("class=\"preview preview-light\"") && page.body.contains("preview-dark"))
        #expect(!page.body.contains("too low") && !page.body.contains("built-in"))
        let path = try #require(page.body.firstMatch(of: #/href="(\/assets\/theme-preview-[^"]+)"/#)).1
        let css = try await server.get(String(path))
        #expect(css.status == 200 && css.body.contains(".preview-light { color-scheme: light; --paper: #f5f4ef;"))
        #expect(try await server.get("/").body.contains("href=\"/dev/theme\""))
        await server.stop()
    }

    @Test func `each pair of the built-in look has enough contrast`() throws {
        let look = PageLook(language: .english, colorScheme: .system, projectName: "Harbour")
        let html = PageRenderer().html(ThemePage(theme: nil, hasOutbox: false), look: look)
        #expect(html.contains("No theme is configured") && !html.contains("too low"))
        #expect(Gallery.themes.map(\.isBuiltIn) == [true, false])
    }
}
