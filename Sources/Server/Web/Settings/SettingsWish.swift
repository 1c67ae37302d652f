internal import Hummingbird
internal import KeyturnWire
internal import Model

/// The language and the colours in which an app asked for the settings: `ui_locales` and `x_color_scheme`, as in an
/// authorization request.
///
/// A cookie keeps them for the pages that follow, forms and sign-ins included. Both come from closed sets, so that
/// nothing of a request is repeated; anything else is ignored.
struct SettingsWish: Hashable, Sendable {
    /// Of ``Language/all``; `nil`: as the account or the browser says.
    var language: String?
    /// `nil`: as the browser prefers.
    var colorScheme: ColorScheme?

    static let none = SettingsWish()

    var isEmpty: Bool { self == .none }

    init() {}

    /// What a request asks for; where it says nothing, what was asked for before.
    init(_ form: FormParameters, earlier: SettingsWish) {
        language = form.values("ui_locales").first.flatMap(Language.first)?.code ?? earlier.language
        colorScheme = form.values("x_color_scheme").first.flatMap(ColorScheme.init) ?? earlier.colorScheme
    }

    /// Reads ``cookieValue``; anything else asks for nothing.
    init(cookieValue text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        language = Language.all.first { $0.code == parts[0] }?.code
        colorScheme = ColorScheme(rawValue: String(parts[1]))
    }

    /// Such as `de.dark`.
    var cookieValue: String { "\(language ?? "").\(colorScheme?.rawValue ?? "")" }
}

extension Cookies {
    /// What an app asked of the settings lately.
    func settingsWish(_ request: Request) -> SettingsWish {
        value(settingsWishName, request).map(SettingsWish.init(cookieValue:)) ?? .none
    }

    /// Remembers it for ``Limits/settingsLookSeconds``, for the settings alone; an empty one is forgotten.
    func setSettingsWish(_ wish: SettingsWish) -> String {
        let age = wish.isEmpty ? 0 : Limits.settingsLookSeconds
        return "\(settingsWishName)=\(wish.isEmpty ? "" : wish.cookieValue); Max-Age=\(age)\(settingsAttributes)"
    }
}
