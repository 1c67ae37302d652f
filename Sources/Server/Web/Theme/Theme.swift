/// What an operator wants the hosted pages to look like, before it is checked.
public struct UnverifiedTheme: Sendable {
    /// Colours of light pages; what is left out follows from the accent, or is built in.
    public var light: [ColorRole: HexColor] = [:]
    /// Colours of dark pages; a missing accent follows from that of the light ones, and the other way round.
    public var dark: [ColorRole: HexColor] = [:]
    /// The radius of the corners of fields and buttons, in CSS pixels, from 0 to 24; `nil`: as built in.
    public var cornerPixels: Int?
    /// The typeface.
    public var font = ThemeFont.system
    /// What is used if the app does not ask.
    public var colorScheme = ColorScheme.system
    /// The picture beside the project's name; `nil`: the built-in one.
    public var logo: ThemeLogo?
    /// The picture on dark pages; `nil`: ``logo``.
    public var darkLogo: ThemeLogo?
    /// Whether the project's name stands beside the picture.
    public var showsName = true

    /// The built-in look.
    public init() {}

    /// The radius of corners, in CSS pixels.
    public static let cornerPixels = 0...24

    /// Checks the theme.
    ///
    /// - Throws: ``ThemeProblem`` with the first thing that is wrong, all pairs of colours at once.
    public func verified() throws(ThemeProblem) -> Theme {
        if let cornerPixels, !Self.cornerPixels.contains(cornerPixels) { throw .corner(cornerPixels) }
        if logo == nil, darkLogo != nil { throw .darkLogoAlone }
        if logo == nil, !showsName { throw .nothingShown }
        let completions = [
            PaletteCompletion(scheme: .light, written: light, otherAccent: dark[.accent]),
            PaletteCompletion(scheme: .dark, written: dark, otherAccent: light[.accent]),
        ]
        let problems = completions.flatMap { ContrastCheck(completion: $0).problems }
        guard problems.isEmpty else { throw .contrast(problems) }
        return Theme(light: completions[0].palette, dark: completions[1].palette, self)
    }
}

/// Why a theme is refused.
public enum ThemeProblem: Error, Sendable, Equatable {
    /// Pairs of colours have too little contrast.
    case contrast([ContrastProblem])
    /// The radius is out of bounds.
    case corner(Int)
    /// There is a logo for dark pages, and none for light ones.
    case darkLogoAlone
    /// There is neither logo nor name.
    case nothingShown
}

/// What the hosted pages look like: all its texts can be read (WCAG 2.2, level AA). Made by
/// ``UnverifiedTheme/verified()``.
public struct Theme: Sendable {
    /// The colours of light pages.
    public let light: ThemePalette
    /// The colours of dark pages.
    public let dark: ThemePalette
    let cornerPixels: Int?
    let font: ThemeFont
    let colorScheme: ColorScheme
    let logo: ThemeLogo?
    let darkLogo: ThemeLogo?
    let showsName: Bool

    fileprivate init(light: ThemePalette, dark: ThemePalette, _ checked: UnverifiedTheme) {
        self.light = light
        self.dark = dark
        cornerPixels = checked.cornerPixels
        font = checked.font
        colorScheme = checked.colorScheme
        logo = checked.logo
        darkLogo = checked.darkLogo
        showsName = checked.showsName
    }
}
