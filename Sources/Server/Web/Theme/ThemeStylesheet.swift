/// A theme as a style sheet, which pages load after `keyturn.css`.
struct ThemeStylesheet {
    let theme: Theme

    var text: String {
        let dark = Self.properties(theme.dark, .dark)
        var rules = [
            ":root { \(Self.properties(theme.light, .light)) }",
            "[data-theme=\"dark\"] { \(dark) }",
            "@media (prefers-color-scheme: dark) { [data-theme=\"system\"] { \(dark) } }",
            Self.hover,
        ]
        if let stack = theme.font.stack { rules.append("body { font-family: \(stack); }") }
        if let corner = theme.cornerPixels { rules += Self.corners(corner) }
        if theme.logo != nil { rules.append(Self.logo) }
        return rules.joined(separator: "\n") + "\n"
    }

    /// The custom properties of a palette.
    static func properties(_ palette: ThemePalette, _ scheme: ThemeScheme) -> String {
        let colors = ColorRole.allCases.map { "\($0.property): \(palette[$0].text);" }
        let shadow =
            switch scheme {
            case .light:
                "0 1px 2px \(palette[.text].text)14, 0 12px 32px -12px \(palette[.text].text)2e"
            case .dark: "0 0 0 1px \(palette[.divider].text), 0 12px 32px -12px #00000080"
            }
        let hovers = [
            "--accent-hover: \(hovered(palette[.accent], words: palette[.accentText]).text);",
            "--alert-hover: \(hovered(palette[.alert], words: palette[.alertSurface]).text);",
        ]
        return (colors + ["--shadow: \(shadow);"] + hovers).joined(separator: " ")
    }

    /// A button that the pointer is on: further away from its words, so that they stay readable.
    static func hovered(_ button: HexColor, words: HexColor) -> HexColor {
        (words.luminance > button.luminance ? HexColor.black : .white).covering(button, share: 0.12)
    }

    static let hover = """
        .primary:hover { filter: none; background: var(--accent-hover); border-color: var(--accent-hover); }
        .primary.danger:hover { background: var(--alert-hover); border-color: var(--alert-hover); }
        """

    private static let logo = """
        .logo { display: flex; flex: none; max-inline-size: 100%; }
        .logo img {
          display: block; block-size: 2.5rem; inline-size: auto; max-inline-size: 100%; object-fit: contain;
          object-position: left center;
        }
        """

    /// What has corners, by the radius that `keyturn.css` gives it, in thousandths of a rem.
    static let rounded: [(thousandths: Int, selectors: String)] = [
        (437, ".quiet"), (500, "nav li a"),
        (625, "input, select, .primary, .secondary, .alert, .detail, pre, .way, .small, .notice, .warning, .key"),
        (750, ".scopes, details, .choice, .cards a, .number, .scan img, .codes, .initial"),
        (1_000, ".steps > li, section, .message"),
    ]
    /// The card that holds a form, on wide screens.
    static let card = (thousandths: 1_250, media: "(min-width: 40rem)", selector: "body:not(:has(main.wide)) main")
    /// The radius of fields and buttons in `keyturn.css`, in thousandths of a rem: what `corner` replaces.
    private static let base = 625
    /// Larger corners cut into what a card holds.
    private static let cornerMost = 28

    private static func corners(_ corner: Int) -> [String] {
        func pixels(_ thousandths: Int) -> Int { min((corner * thousandths + base / 2) / base, cornerMost) }
        return rounded.map { "\($0.selectors) { border-radius: \(pixels($0.thousandths))px; }" } + [
            "@media \(card.media) { \(card.selector) { border-radius: \(pixels(card.thousandths))px; } }"
        ]
    }
}
