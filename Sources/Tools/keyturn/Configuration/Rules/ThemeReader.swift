private import Foundation
private import KeyturnBase
internal import Web

/// Reads `theme`.
enum ThemeReader {
    static let keys = scalarKeys + ["colors"]
    private static let scalarKeys = ["logo", "logo_dark", "show_name", "corner", "font", "color_scheme"]
    private static let roles = ColorRole.allCases.map(\.rawValue)

    /// The paths of the keys that environment variables can override.
    static let scalars: [[String]] =
        scalarKeys.map { ["theme", $0] }
        + ThemeScheme.allCases.flatMap { scheme in roles.map { ["theme", "colors", scheme.rawValue, $0] } }

    static func read(_ section: Section?) -> Theme? {
        guard let section else { return nil }
        var theme = UnverifiedTheme()
        let colors = section.section("colors", keys: ThemeScheme.allCases.map(\.rawValue))
        let schemes = ThemeScheme.allCases.map { ($0, colors?.section($0.rawValue, keys: roles)) }
        var areReadable = true
        for (scheme, written) in schemes {
            guard let written else { continue }
            guard let colors = read(colors: written) else {
                areReadable = false
                continue
            }
            switch scheme {
            case .light: theme.light = colors
            case .dark: theme.dark = colors
            }
        }
        theme.cornerPixels = section.integer("corner", within: UnverifiedTheme.cornerPixels)
        theme.font = section.choice("font", of: ThemeFont.self) ?? .system
        theme.colorScheme = section.choice("color_scheme", of: ColorScheme.self) ?? .system
        theme.showsName = section.boolean("show_name") ?? true
        theme.logo = logo("logo", section)
        theme.darkLogo = logo("logo_dark", section)
        // A logo that was refused is no reason for a second mistake.
        if section.has("logo"), theme.logo == nil { (theme.darkLogo, theme.showsName) = (nil, true) }
        // The contrast of what is left would say nothing.
        if !areReadable { (theme.light, theme.dark) = ([:], [:]) }
        do throws(ThemeProblem) {
            return try theme.verified()
        } catch {
            note(error, section, Dictionary(uniqueKeysWithValues: schemes))
            return nil
        }
    }

    /// `nil` if one of them cannot be read.
    private static func read(colors section: Section) -> [ColorRole: HexColor]? {
        var colors: [ColorRole: HexColor] = [:]
        var areReadable = true
        for role in ColorRole.allCases {
            let key = role.rawValue
            if section.isEmpty(key) {
                section.mistake(key, "it is empty", "Put the colour in quotes: # begins a comment in YAML.")
                areReadable = false
            }
            guard section.has(key) else { continue }
            guard let text = section.text(key) else {
                areReadable = false
                continue
            }
            let color = HexColor(text.value)
            let refusal = color == nil ? Refusal("it is not a colour in hex", "Write it as \"#0a6a55\".") : nil
            if section.reading.check(refusal, text) { colors[role] = color } else { areReadable = false }
        }
        return areReadable ? colors : nil
    }

    /// A picture beside the configuration.
    private static func logo(_ key: String, _ section: Section) -> ThemeLogo? {
        guard let name = section.text(key) else { return nil }
        let base = section.reading.folder.map { URL(fileURLWithPath: $0, isDirectory: true) }
        let path = URL(fileURLWithPath: name.value, relativeTo: base).path
        guard let bytes = ConfigurationFile.bytes(path, max: ThemeLogo.bytesMax + 1) else {
            section.mistake(
                key, "the file cannot be read", "Give its path from the folder of this file: \(Printable.text(path)).")
            return nil
        }
        do throws(LogoProblem) {
            return try ThemeLogo(bytes: bytes)
        } catch {
            section.mistake(key, "\(Printable.text(name.value)): \(error.detail)", error.remedy)
            return nil
        }
    }

    private static func note(_ problem: ThemeProblem, _ section: Section, _ schemes: [ThemeScheme: Section?]) {
        switch problem {
        case .contrast(let problems):
            for problem in problems {
                let colors = schemes[problem.scheme] ?? nil
                if let colors, colors.has(problem.culprit.rawValue) {
                    colors.mistake(problem.culprit.rawValue, problem.detail, problem.remedy)
                } else {
                    section.mistake("colors", problem.detail, problem.remedy)
                }
            }
        case .corner(let pixels):
            section.mistake("corner", "\(pixels) is out of bounds", "Choose a number from 0 to 24.")
        case .darkLogoAlone:
            section.mistake("logo_dark", "there is no logo for light pages", "Give logo as well, or remove it.")
        case .nothingShown:
            section.mistake(
                "show_name", "without a logo the name is all that says whose pages these are",
                "Give logo, or set it to true.")
        }
    }
}
