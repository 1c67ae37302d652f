/// The colours of one scheme: one for each role.
public struct ThemePalette: Sendable, Equatable {
    private var colors: [ColorRole: HexColor]

    /// - Parameter colors: the built-in ones take the place of those that are not there.
    init(_ colors: [ColorRole: HexColor], else base: ThemePalette) {
        self.colors = base.colors.merging(colors) { _, own in own }
    }

    private init(_ texts: KeyValuePairs<ColorRole, UInt32>) {
        colors = Dictionary(
            uniqueKeysWithValues: texts.map { role, value in
                (
                    role,
                    HexColor(
                        red: UInt8(value >> 16 & 255), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255))
                )
            })
    }

    /// The colour of a role.
    public subscript(role: ColorRole) -> HexColor { colors[role] ?? .black }

    /// What `keyturn.css` has for light pages.
    static let light = ThemePalette([
        .background: 0xf5f4ef, .surface: 0xffffff, .text: 0x17211e, .mutedText: 0x56635e, .divider: 0xd9d8d0,
        .field: 0xffffff, .border: 0x84908b, .accent: 0x0a6a55, .accentText: 0xffffff, .accentSurface: 0xe3f1ec,
        .focus: 0x0a6a55, .alert: 0x9b1c1c, .alertSurface: 0xfdecea, .warning: 0xa86400, .warningSurface: 0xfdf1d8,
    ])

    /// The same for dark pages.
    static let dark = ThemePalette([
        .background: 0x101514, .surface: 0x182120, .text: 0xeef3f0, .mutedText: 0xa5b3ad, .divider: 0x33403c,
        .field: 0x111817, .border: 0x6f7f79, .accent: 0x63d2b4, .accentText: 0x06251d, .accentSurface: 0x1c302b,
        .focus: 0x63d2b4, .alert: 0xffb4ab, .alertSurface: 0x3b1b19, .warning: 0xf0b95a, .warningSurface: 0x3a2d14,
    ])
}

/// One of the two palettes of a theme.
public enum ThemeScheme: String, Sendable, CaseIterable {
    /// Light pages.
    case light
    /// Dark pages.
    case dark

    var builtIn: ThemePalette { self == .light ? .light : .dark }
    var other: ThemeScheme { self == .light ? .dark : .light }
}
