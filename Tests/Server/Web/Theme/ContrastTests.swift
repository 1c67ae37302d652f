import Foundation
import Testing

@testable import Web

@Suite("Themes: colours and their contrast")
struct ContrastTests {
    @Test(arguments: [
        ("#777777", "#ffffff", "4.48", false), ("#767676", "#ffffff", "4.54", true), ("#000", "#fff", "21.00", true),
        ("#949494", "#ffffff", "3.03", false), ("#959595", "#ffffff", "3.00", false), ("#fff", "#FFF", "1.00", false),
        ("#0a6a55", "#ffffff", "6.55", true), ("#ff0000", "#ffffff", "4.00", false),
    ])
    func `ratios are those of WCAG, in both directions`(_ one: String, _ two: String, _ ratio: String, _ passes: Bool)
        throws
    {
        let (one, two) = (try #require(HexColor(one)), try #require(HexColor(two)))
        #expect(RatioText.text(one.contrast(with: two)) == ratio)
        #expect(one.contrast(with: two) == two.contrast(with: one))
        #expect((one.contrast(with: two) >= ContrastPair.Use.text.minimum) == passes)
    }

    @Test func `a ratio just below its limit is not shown as the limit`() {
        #expect(RatioText.text(4.4999, below: 4.5) == "4.49")
        #expect(RatioText.text(2.9951, below: 3) == "2.99")
        #expect(RatioText.text(4.5) == "4.50")
    }

    @Test func `colours are read in hex alone`() {
        #expect(HexColor("#0A6a55")?.text == "#0a6a55")
        #expect(HexColor("#f80")?.text == "#ff8800")
        for text in ["", "#", "0a6a55", "#0a6a5", "#0a6a5566", "#0a6a5g", "red", "rgb(1,2,3)", "#１２３", " #fff"] {
            #expect(HexColor(text) == nil, "\(text)")
        }
    }

    @Test func `the built-in palettes are those of the style sheet, and pass with a solid frame`() throws {
        let css = String(decoding: PageRenderer.stylesheet.content, as: UTF8.self)
        let light = try #require(css.firstMatch(of: #/:root \{([^}]*)\}/#)).1
        let dark = try #require(css.firstMatch(of: #/\[data-theme="dark"\] \{([^}]*)\}/#)).1
        for (block, palette) in [(light, ThemePalette.light), (dark, ThemePalette.dark)] {
            for role in ColorRole.allCases {
                #expect(block.contains("\(role.property): \(palette[role].text);"), "\(role)")
            }
            #expect(ContrastPair.all.filter { !$0.passes(in: palette) } == [])
        }
        let properties = Set(light.matches(of: #/(--[\w-]+):/#).map { String($0.1) })
        #expect(properties == Set(ColorRole.allCases.map(\.property) + ["--shadow"]))
    }

    /// A rule with both a colour and a background is a pair, and each colour of a text is in one.
    @Test func `every pair of the style sheet is checked`() throws {
        let css = String(decoding: PageRenderer.stylesheet.content, as: UTF8.self)
        let roles = Dictionary(uniqueKeysWithValues: ColorRole.allCases.map { ($0.property, $0) })
        let checked = Set(
            ContrastPair.all.flatMap { [[$0.foreground, $0.background], [$0.background, $0.foreground]] })
        var pairs: Set<[ColorRole]> = []
        for rule in css.matches(of: #/\{([^{}]*)\}/#) {
            let color = rule.1.firstMatch(of: #/(?:^|[ ;])color: var\((--[\w-]+)\)/#).flatMap { roles[String($0.1)] }
            let ground = rule.1.firstMatch(of: #/background: var\((--[\w-]+)\)/#).flatMap { roles[String($0.1)] }
            if let color {
                #expect(ContrastPair.all.contains { $0.foreground == color || $0.background == color }, "\(color)")
                if let ground { pairs.insert([color, ground]) }
            }
        }
        #expect(pairs.count > 6)
        for pair in pairs { #expect(checked.contains(pair), "\(pair)") }
    }

    private func problems(_ theme: UnverifiedTheme) -> [ContrastProblem] {
        do throws(ThemeProblem) {
            _ = try theme.verified()
            return []
        } catch {
            guard case .contrast(let problems) = error else { return [] }
            return problems
        }
    }

    @Test func `a pair below AA is refused, with the nearest colour that passes everywhere`() throws {
        var theme = UnverifiedTheme()
        theme.light = [.accent: try #require(HexColor("#7fb0ff"))]
        let problems = problems(theme)
        let first = try #require(problems.first { $0.foreground == .accent && $0.background == .surface })
        #expect(first.scheme == .light && first.culprit == .accent)
        #expect(problems.map(\.background) == [.background, .surface, .field], "none of what follows from it")
        #expect(first.detail.contains("accent #7fb0ff on surface #ffffff is 2.20"))
        #expect(first.detail.contains(":1, and at least 4.50:1 is needed in light pages (WCAG 2.2, 1.4.3)"))
        let proposal = try #require(first.proposal)
        #expect(first.remedy.contains("\"\(proposal.text)\"") && first.remedy.contains("surface"))
        theme.light[.accent] = proposal
        #expect(self.problems(theme) == [])
        // Nothing nearer does: one step back along the way is refused.
        let previous = HexColor(
            red: proposal.red + 2, green: proposal.green + 2, blue: min(proposal.blue, 253) + 2)
        theme.light[.accent] = previous
        #expect(self.problems(theme) != [])
    }

    @Test(arguments: [
        ("text", "#aaaaaa", 4.5), ("muted_text", "#909090", 4.5), ("border", "#bbbbbb", 3), ("focus", "#dddddd", 3),
        ("alert", "#ff9090", 4.5), ("accent", "#ffd000", 4.5),
    ])
    func `each proposal passes`(_ key: String, _ text: String, _ least: Double) throws {
        let role = try #require(ColorRole(rawValue: key))
        var theme = UnverifiedTheme()
        theme.light = [role: try #require(HexColor(text))]
        let found = problems(theme)
        #expect(!found.isEmpty && found.allSatisfy { $0.culprit == role && $0.scheme == .light })
        let ratios = found.map { $0.detail.firstMatch(of: #/ is ([0-9.]+):1/#).flatMap { Double($0.1) } ?? 99 }
        #expect(ratios.allSatisfy { $0 < least })
        theme.light[role] = try #require(found.first?.proposal)
        #expect(problems(theme) == [])
    }

    @Test func `a background that the operator wrote is to blame for texts that are built in`() throws {
        var theme = UnverifiedTheme()
        theme.dark = [.background: try #require(HexColor("#808080"))]
        let found = problems(theme)
        #expect(found.contains { $0.foreground == .text || $0.foreground == .mutedText })
        #expect(found.allSatisfy { $0.culprit == .background && $0.scheme == .dark })
        theme.dark[.background] = try #require(found.first?.proposal)
        #expect(problems(theme) == [])
    }

    /// What an operator writes first: one accent. Whatever passes as a link on light pages needs nothing more.
    @Test func `from one accent follow its words, its surface, its frame and the dark one`() throws {
        var count = 0
        for red in stride(from: 0, through: 255, by: 51) {
            for green in stride(from: 0, through: 255, by: 51) {
                for blue in stride(from: 0, through: 255, by: 85) {
                    let accent = HexColor(red: UInt8(red), green: UInt8(green), blue: UInt8(blue))
                    var theme = UnverifiedTheme()
                    theme.light = [.accent: accent]
                    let isReadable = accent.contrast(with: ThemePalette.light[.background]) >= 4.5
                    #expect(problems(theme).isEmpty == isReadable, "\(accent.text)")
                    guard isReadable else { continue }
                    count += 1
                    let whole = try theme.verified()
                    #expect(whole.light[.focus] == accent)
                    #expect(whole.dark[.accent].contrast(with: whole.dark[.surface]) >= 4.5)
                    for palette in [whole.light, whole.dark] {
                        let hovered = ThemeStylesheet.hovered(palette[.accent], words: palette[.accentText])
                        #expect(hovered.contrast(with: palette[.accentText]) >= 4.5)
                    }
                }
            }
        }
        #expect(count > 40)
    }

    @Test func `what is not a colour is bounded too`() throws {
        for (pixels, isGood) in [(-1, false), (0, true), (24, true), (25, false)] {
            var theme = UnverifiedTheme()
            theme.cornerPixels = pixels
            if isGood {
                #expect(try theme.verified().cornerPixels == pixels)
            } else {
                #expect(throws: ThemeProblem.corner(pixels)) { try theme.verified() }
            }
        }
        var nameless = UnverifiedTheme()
        nameless.showsName = false
        #expect(throws: ThemeProblem.nothingShown) { try nameless.verified() }
    }
}
