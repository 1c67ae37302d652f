extension Limits {
    /// How long the settings keep the language and the colours that an app asked for, after the last page, in seconds.
    public static let settingsLookSeconds: Int64 = 1_800
}
