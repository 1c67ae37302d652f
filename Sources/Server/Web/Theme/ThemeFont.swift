/// The typefaces that a theme can choose: those of the user's device. Nothing is loaded from elsewhere.
public enum ThemeFont: String, Sendable, CaseIterable {
    /// What the device's own programs have.
    case system
    /// With serifs.
    case serif
    /// With round ends, where the device has such a face.
    case rounded
    /// Every letter of one width.
    case mono

    /// The value of `font-family`; `nil`: the built-in one.
    var stack: String? {
        switch self {
        case .system: nil
        case .serif: "ui-serif, \"Iowan Old Style\", Georgia, \"Noto Serif\", \"DejaVu Serif\", serif"
        case .rounded:
            "ui-rounded, \"Hiragino Maru Gothic ProN\", \"Arial Rounded MT Bold\", Nunito, Quicksand, system-ui, "
                + "sans-serif"
        case .mono: "ui-monospace, \"SF Mono\", \"Cascadia Mono\", \"Noto Sans Mono\", \"DejaVu Sans Mono\", monospace"
        }
    }
}
