/// Two colours that the style sheet puts side by side, and the contrast that they need.
struct ContrastPair: Sendable, Hashable {
    /// Why they need it (WCAG 2.2, level AA).
    enum Use: Sendable {
        /// Text, also large text: one limit for all (1.4.3).
        case text
        /// What shows where a field or a button is, or what the keyboard is on (1.4.11).
        case shape

        /// The least contrast ratio.
        var minimum: Double { self == .text ? 4.5 : 3 }
        /// The number of the success criterion.
        var criterion: String { self == .text ? "1.4.3" : "1.4.11" }
    }

    let foreground: ColorRole
    let background: ColorRole
    let use: Use

    func ratio(in palette: ThemePalette) -> Double {
        palette[foreground].contrast(with: palette[background])
    }

    func passes(in palette: ThemePalette) -> Bool { ratio(in: palette) >= use.minimum }

    /// Every pair of `keyturn.css`. Where a text's pair is also a shape's, the stricter one stands for both: the
    /// primary button on the card, ticks, the button that deletes.
    static let all: [ContrastPair] = [
        pairs(.text, .text, on: [.background, .surface, .field, .accentSurface, .warningSurface]),
        pairs(.text, .mutedText, on: [.background, .surface, .field, .accentSurface, .warningSurface]),
        pairs(.text, .accent, on: [.background, .surface, .field, .accentSurface]),
        pairs(.text, .accentText, on: [.accent]),
        pairs(.text, .alert, on: [.alertSurface, .field, .accentSurface]),
        pairs(.shape, .alert, on: [.background, .surface]),
        pairs(.shape, .border, on: [.background, .surface, .field]),
        pairs(.shape, .focus, on: [.background, .surface, .field, .accentSurface]),
    ].flatMap(\.self)

    private static func pairs(_ use: Use, _ role: ColorRole, on others: [ColorRole]) -> [ContrastPair] {
        others.map { ContrastPair(foreground: role, background: $0, use: use) }
    }
}

/// A contrast ratio as a text with two decimals.
enum RatioText {
    /// - Parameter below: a limit that the ratio does not reach, so that the text does not show it either.
    static func text(_ ratio: Double, below limit: Double? = nil) -> String {
        var hundredths = Int((ratio * 100).rounded())
        if let limit { hundredths = min(hundredths, Int((limit * 100).rounded()) - 1) }
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
    }
}
