/// The colours of buttons in mails, as CSS writes them. The words and surfaces around them are built in.
public struct MailColors: Sendable, Equatable {
    /// The button.
    public let accent: String
    /// Its words.
    public let accentText: String
    /// The button where the mail program is dark.
    public let darkAccent: String
    /// Its words there.
    public let darkAccentText: String

    /// The built-in colours.
    public init() {
        self.init(accent: "#0a6a55", accentText: "#ffffff", darkAccent: "#63d2b4", darkAccentText: "#06251d")
    }

    /// Colours as `#rrggbb`.
    public init(accent: String, accentText: String, darkAccent: String, darkAccentText: String) {
        self.accent = accent
        self.accentText = accentText
        self.darkAccent = darkAccent
        self.darkAccentText = darkAccentText
    }

    /// By the names that the template uses.
    var values: [String: String] {
        [
            "accent": accent, "accentText": accentText, "darkAccent": darkAccent, "darkAccentText": darkAccentText,
        ]
    }
}
