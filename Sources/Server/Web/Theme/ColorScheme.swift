/// Light, dark, or the one that the user's device prefers.
public enum ColorScheme: String, Sendable, CaseIterable {
    /// As the device prefers.
    case system
    /// Light, on every device.
    case light
    /// Dark, on every device.
    case dark
}
