/// Makes a palette of the colours that an operator wrote: the rest follows from the accent, or is built in.
struct PaletteCompletion {
    let scheme: ThemeScheme
    /// What the operator wrote for this scheme.
    let written: [ColorRole: HexColor]
    /// The accent that the operator wrote for the other scheme.
    let otherAccent: HexColor?

    /// What an accent that follows from the other scheme's tries to have on its surfaces, the better one first.
    private static let aims = [7.0, 4.5]
    /// How much of the accent is in its surface, in hundredths, the most first.
    private static let tints = [12, 10, 8, 6, 4, 2, 0]

    var palette: ThemePalette {
        var colors = written
        colors[.accent] = written[.accent] ?? otherAccent.map(followingAccent)
        colors[.focus] = written[.focus] ?? colors[.accent]
        // Without an accent it is the built-in one, and what goes with it.
        if let accent = colors[.accent] {
            colors[.accentText] = written[.accentText] ?? Self.words(on: accent)
            colors[.accentSurface] = written[.accentSurface] ?? tinted(colors)
        }
        return ThemePalette(colors, else: scheme.builtIn)
    }

    /// The other scheme's accent, as much lighter or darker as it must be to be read here.
    private func followingAccent(_ other: HexColor) -> HexColor {
        let plain = ThemePalette(written, else: scheme.builtIn)
        let surfaces = [ColorRole.background, .surface, .field].map { plain[$0] }
        for aim in Self.aims {
            let color = LightnessSteps(other).nearest { color in
                surfaces.allSatisfy { color.contrast(with: $0) >= aim }
            }
            if let color { return color }
        }
        return other
    }

    /// White, or black where white cannot be read: one of them always can.
    static func words(on accent: HexColor) -> HexColor {
        HexColor.white.contrast(with: accent) >= ContrastPair.Use.text.minimum ? .white : .black
    }

    /// A little of the accent on the card, as much as leaves texts on it readable.
    private func tinted(_ colors: [ColorRole: HexColor]) -> HexColor {
        let plain = ThemePalette(colors, else: scheme.builtIn)
        let pairs = ContrastPair.all.filter { $0.background == .accentSurface }
        let tints = Self.tints.map { plain[.accent].covering(plain[.surface], share: Double($0) / 100) }
        return tints.first { tint in
            let palette = ThemePalette([.accentSurface: tint], else: plain)
            return pairs.allSatisfy { $0.passes(in: palette) }
        } ?? plain[.surface]
    }
}
