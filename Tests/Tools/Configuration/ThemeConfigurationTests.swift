import Delivery
import Foundation
import KeyturnBase
import Testing
import Web

@testable import keyturn

@Suite("Configuration: the theme")
struct ThemeConfigurationTests {
    private static let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"><path d=\"M0 0h8v8z\"/></svg>"

    /// The mistakes of a file in a folder with those files beside it.
    private func check(
        _ theme: String, files: [String: String] = [:], environment: [String: String] = [:]
    ) throws -> (configuration: ServerConfiguration?, mistakes: [ConfigurationProblem], output: String) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-theme-\(Ambient.live.randomToken(byteCount: 8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
        let file = folder.appendingPathComponent("keyturn.yaml").path
        try Data("theme:\n\(theme)\n".utf8).write(to: URL(fileURLWithPath: file))
        let output = ConfigCommand.Check.check(path: file, environment: environment, json: false).output
        do throws(ConfigurationProblems) {
            return (try ServerConfiguration.load(path: file, environment: environment), [], output)
        } catch {
            return (nil, error.mistakes, output)
        }
    }

    @Test func `a whole theme is read, with its pictures beside the file`() throws {
        let (configuration, mistakes, output) = try check(
            """
              logo: logo.svg
              logo_dark: dark.svg
              show_name: false
              corner: 4
              font: serif
              color_scheme: dark
              colors:
                light: { accent: "#7a1f5c", background: "#FFF" }
                dark: { accent: "#f0a0d0", accent_text: "#30001f" }
            """, files: ["logo.svg": Self.svg, "dark.svg": Self.svg + "\n"])
        #expect(mistakes.isEmpty && output.contains("no mistakes"))
        let theme = try #require(configuration?.theme)
        #expect(theme.light[.accent].text == "#7a1f5c" && theme.light[.background].text == "#ffffff")
        #expect(theme.light[.accentText].text == "#ffffff")
        #expect(theme.dark[.accent].text == "#f0a0d0" && theme.dark[.accentText].text == "#30001f")
        #expect(theme.mailColors.accent == "#7a1f5c" && theme.mailColors.darkAccentText == "#30001f")
        #expect(try Sample.accepted("").theme == nil)
    }

    @Test func `colours below AA are refused with the pair, the ratio and the nearest that passes`() throws {
        let (_, mistakes, output) = try check("  colors:\n    light:\n      muted_text: \"#999999\"")
        #expect(mistakes.allSatisfy { $0.path == "theme.colors.light.muted_text" } && mistakes.count == 5)
        #expect(mistakes.first?.origin == .file(line: 4, column: 19))
        #expect(output.contains("the contrast of muted_text #999999 on surface #ffffff is 2.85:1"))
        #expect(output.contains("at least 4.50:1 is needed in light pages (WCAG 2.2, 1.4.3)"))
        let proposal = try #require(output.firstMatch(of: #/nearest muted_text that passes is "(#[0-9a-f]{6})"/#)).1
        #expect(try check("  colors: { light: { muted_text: \"\(proposal)\" } }").mistakes.isEmpty)
    }

    @Test(arguments: [
        ("  corner: 25", "theme.corner", "out of bounds"), ("  corner: 4px", "theme.corner", "whole number"),
        ("  font: Comic Sans", "theme.font", "not one of the choices"),
        ("  color_scheme: sepia", "theme.color_scheme", "not one of the choices"),
        ("  colour: x", "theme.colour", "unknown key"), ("  colors: { day: {} }", "theme.colors.day", "unknown key"),
        ("  colors: { light: { acent: \"#123\" } }", "theme.colors.light.acent", "unknown key"),
        ("  colors: { light: { accent: teal } }", "theme.colors.light.accent", "not a colour in hex"),
        ("  colors: { light: { accent: \"rgb(1,2,3)\" } }", "theme.colors.light.accent", "not a colour in hex"),
        ("  colors:\n    dark:\n      accent: #63d2b4", "theme.colors.dark.accent", "it is empty"),
        ("  show_name: false", "theme.show_name", "without a logo"),
        ("  logo: missing.svg", "theme.logo", "cannot be read"),
        ("  logo: bad.svg", "theme.logo", "<script>"), ("  logo: large.svg", "theme.logo", "65537 bytes"),
        ("  logo_dark: logo.svg", "theme.logo_dark", "no logo for light pages"),
    ])
    func `what is wrong is named where it stands, once`(_ theme: String, _ path: String, _ reason: String) throws {
        let script = Self.svg.replacing("<path", with: "<script/><path")
        let large = String(repeating: "x", count: 65_537)
        let (_, mistakes, _) = try check(
            theme, files: ["logo.svg": Self.svg, "bad.svg": script, "large.svg": large])
        #expect(mistakes.map(\.path) == [path])
        #expect(mistakes.first?.detail.contains(reason) == true, "\(mistakes.first?.detail ?? "")")
    }

    @Test func `a refused logo is one mistake, whatever goes with it`() throws {
        let theme = "  logo: missing.svg\n  logo_dark: logo.svg\n  show_name: false"
        #expect(try check(theme, files: ["logo.svg": Self.svg]).mistakes.map(\.path) == ["theme.logo"])
    }

    @Test func `variables override single values`() throws {
        let variables = ["KEYTURN_THEME_COLORS_LIGHT_ACCENT": "#7a1f5c", "KEYTURN_THEME_CORNER": "0"]
        let (configuration, _, _) = try check("  corner: 30", environment: variables)
        #expect(configuration?.theme?.light[.accent].text == "#7a1f5c")
        #expect(
            try check("  corner: 3", environment: ["KEYTURN_THEME_COLORS_DARK_TEXT": "#333333"]).mistakes.count == 5)
    }
}
