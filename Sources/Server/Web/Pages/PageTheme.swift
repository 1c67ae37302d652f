/// A theme as pages use it: its files, and the picture in the head of the page.
struct PageTheme: Sendable {
    let stylesheet: PageAsset
    let colorScheme: ColorScheme
    let showsName: Bool
    private let picture: PageAsset?
    private let darkPicture: PageAsset?

    /// A picture that is opened by itself loads nothing, runs nothing, and has no origin.
    private static let policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

    init(_ theme: Theme) {
        stylesheet = PageAsset(stylesheet: "theme", ThemeStylesheet(theme: theme).text)
        colorScheme = theme.colorScheme
        showsName = theme.showsName
        picture = theme.logo.map { Self.asset("logo", $0) }
        // The same picture for both has one address.
        darkPicture = theme.darkLogo == theme.logo ? nil : theme.darkLogo.map { Self.asset("logo-dark", $0) }
    }

    var assets: [PageAsset] { [stylesheet, picture, darkPicture].compactMap(\.self) }

    /// The values of the picture; `nil`: there is none.
    func logo(_ look: PageLook) -> [String: String]? {
        guard let picture else { return nil }
        var values = ["alt": showsName ? "" : look.projectName]
        values["uri"] = look.colorScheme == .dark ? (darkPicture ?? picture).path : picture.path
        if look.colorScheme == .system { values["dark"] = darkPicture?.path }
        return values
    }

    private static func asset(_ name: String, _ logo: ThemeLogo) -> PageAsset {
        PageAsset(
            name: name, ending: logo.format.ending, contentType: logo.format.contentType, content: logo.bytes,
            policy: policy)
    }
}
