/// The main elements of the pages in the colours of a theme, light and dark side by side.
struct ThemePage: Page {
    static let template = PageTemplate.theme
    static let name = "theme"
    static let isWide = true
    let isBuiltIn: Bool
    let hasOutbox: Bool
    /// The style sheet that puts light and dark elements on one page.
    let asset: PageAsset
    private let palettes: [(scheme: ThemeScheme, palette: ThemePalette)]

    /// - Parameter theme: `nil`: the built-in look.
    init(theme: Theme?, hasOutbox: Bool) {
        isBuiltIn = theme == nil
        self.hasOutbox = hasOutbox
        let light = theme?.light ?? ThemePalette.light
        let dark = theme?.dark ?? ThemePalette.dark
        palettes = [(.light, light), (.dark, dark)]
        asset = PageAsset(stylesheet: "theme-preview", ThemePreviewStylesheet.text(light: light, dark: dark))
    }

    var stylesheet: String? { asset.path }

    func title(_ strings: Strings) -> String { strings[ThemeStrings.self].heading }

    func values(_ strings: Strings) -> [String: Any] {
        let text = strings[ThemeStrings.self]
        var values: [String: Any] = [
            "text": text.values, "usernameLabel": strings.usernameLabel, "passwordLabel": strings.passwordLabel,
            "panels": palettes.map { ["id": $0.scheme.rawValue, "title": text.scheme($0.scheme)] },
            "picture": Self.picture, "rows": ContrastPair.all.map { row($0, text) }, "samples": samples(text),
        ]
        if isBuiltIn { values["builtIn"] = text.builtIn }
        return values
    }

    private func row(_ pair: ContrastPair, _ text: ThemeStrings) -> [String: Any] {
        [
            "foreground": pair.foreground.rawValue, "background": pair.background.rawValue, "on": text.on,
            "use": text.use(pair.use), "minimum": "\(RatioText.text(pair.use.minimum)):1",
            "cells": palettes.map { _, palette in
                let passes = pair.passes(in: palette)
                let ratio = RatioText.text(pair.ratio(in: palette), below: passes ? nil : pair.use.minimum)
                var cell: [String: Any] = [
                    "foregroundColor": palette[pair.foreground].text,
                    "backgroundColor": palette[pair.background].text, "ratio": "\(ratio):1",
                ]
                if !passes { cell["problem"] = text.tooLow }
                return cell
            },
        ]
    }

    private func samples(_ text: ThemeStrings) -> [[String: String]] {
        var samples = [
            ("/", text.startPage), ("/dev/try", text.signIn), (Routes.device, text.device),
            (Routes.settings, text.settings), ("/logout", text.signOut), ("/dev/no-such-page", text.error),
        ]
        if hasOutbox { samples.append((Routes.outbox, text.outbox)) }
        return samples.map { ["uri": $0.0, "name": $0.1] }
    }

    /// The corners of a QR code, for the frame around it: it leads nowhere.
    private static let picture =
        "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 21 21'%3E"
        + "%3Cpath d='M0 0h7v7H0zM1 1v5h5V1zM14 0h7v7h-7zM15 1v5h5V1zM0 14h7v7H0zM1 15v5h5v-5z' fill-rule='evenodd'/%3E"
        + "%3Cpath d='M2 2h3v3H2zM16 2h3v3h-3zM2 16h3v3H2zM9 1h1v2h2v1h-2v2h2v1H9zM8 9h3v2h2V9h1v3h-2v2h3v-2h2v1h2v2h-3"
        + "v3h2v2h-1v-1h-3v-2h-2v3h-1v-3H9v-2H8zM1 9h2v1h2V9h1v2H4v1H2v-1H1zM18 9h2v2h-1v-1h-1z'/%3E%3C/svg%3E"
}
