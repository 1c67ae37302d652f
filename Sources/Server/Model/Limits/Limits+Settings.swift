extension Limits {
    /// How long the settings keep the language and the colours that an app asked for, after the last page, in seconds.
    public static let settingsLookSeconds: Int64 = 1_800
    /// How long an app session token counts, in seconds.
    public static let appSessionTokenSeconds: Int64 = 300
    /// The largest body of a request for one.
    public static let appSessionBodyBytesMax = 16_384
    /// How long pages of the settings stay open in an app's session, in seconds.
    public static let appPagesSeconds: Int64 = 1_800
}
