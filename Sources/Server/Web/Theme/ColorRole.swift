/// What a colour of the pages is for. Its raw value is the key in the configuration.
public enum ColorRole: String, Sendable, CaseIterable {
    /// The page, behind everything.
    case background
    /// The card that holds a form, and sections.
    case surface
    /// Text.
    case text
    /// Explanations and labels of facts.
    case mutedText = "muted_text"
    /// Lines between rows. They are decoration.
    case divider
    /// Fields, and buttons that are not the primary one.
    case field
    /// The borders of fields and of buttons that are not the primary one.
    case border
    /// The primary button, links, ticks.
    case accent
    /// The words on the primary button.
    case accentText = "accent_text"
    /// Notices, codes, and what the pointer is on.
    case accentSurface = "accent_surface"
    /// The frame around what the keyboard is on.
    case focus
    /// Errors, and buttons that delete.
    case alert
    /// Behind errors.
    case alertSurface = "alert_surface"
    /// The stripe beside a warning. It is decoration.
    case warning
    /// Behind warnings.
    case warningSurface = "warning_surface"

    /// The custom property in the style sheet that holds it.
    var property: String {
        switch self {
        case .background: "--paper"
        case .surface: "--card"
        case .text: "--ink"
        case .mutedText: "--soft"
        case .divider: "--line"
        case .field: "--field"
        case .border: "--edge"
        case .accent: "--accent"
        case .accentText: "--accent-ink"
        case .accentSurface: "--accent-soft"
        case .focus: "--ring"
        case .alert: "--alert"
        case .alertSurface: "--alert-soft"
        case .warning: "--warn"
        case .warningSurface: "--warn-soft"
        }
    }
}
