internal import KeyturnWire
internal import Model

/// The language and colours that an app wants for the settings: `ui_locales` and `x_color_scheme`, as in an
/// authorization request.
///
/// A cookie keeps them for the following pages, forms and sign-ins. Both come from fixed sets, so that no text of a
/// request is repeated; other values are ignored.
struct SettingsWish: Hashable, Sendable {
    /// One of ``Languages/all``; `nil`: the account's or the browser's.
    var language: String?
    /// `nil`: the browser's preference.
    var colorScheme: ColorScheme?

    static let none = SettingsWish()

    var isEmpty: Bool { self == .none }

    init() {}

    /// The request's wishes; the earlier ones for what it does not name.
    init(_ form: FormParameters, earlier: SettingsWish, _ languages: Languages) {
        language = form.values("ui_locales").first.flatMap(languages.first)?.code ?? earlier.language
        colorScheme = form.values("x_color_scheme").first.flatMap(ColorScheme.init) ?? earlier.colorScheme
    }

    /// Parses ``cookieValue``; other texts give no wishes.
    init(cookieValue text: String, _ languages: Languages) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        language = languages.all.first { $0.code == parts[0] }?.code
        colorScheme = ColorScheme(rawValue: String(parts[1]))
    }

    /// Such as `de.dark`.
    var cookieValue: String { "\(language ?? "").\(colorScheme?.rawValue ?? "")" }
}

extension Cookies {
    /// The wishes of the latest app.
    func settingsWish(_ request: Request, _ languages: Languages) -> SettingsWish {
        value(settingsWishName, request).map { SettingsWish(cookieValue: $0, languages) } ?? .none
    }

    /// Keeps them for ``Limits/settingsLookSeconds``, for the settings alone; empty wishes are deleted.
    func setSettingsWish(_ wish: SettingsWish) -> String {
        let age = wish.isEmpty ? 0 : Limits.settingsLookSeconds
        return "\(settingsWishName)=\(wish.isEmpty ? "" : wish.cookieValue); Max-Age=\(age)\(settingsAttributes)"
    }
}
