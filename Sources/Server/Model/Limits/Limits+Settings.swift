extension Limits {
    /// How long the settings keep the language and the colours that an app asked for, after the last page, in seconds.
    public static let settingsLookSeconds: Int64 = 1_800
    /// The shortest user name that a user may choose, in characters: shorter ones are few.
    public static let usernameLengthMin = 3
    /// The longest one, in characters: it is shown in one line.
    public static let usernameLengthMax = 64
    /// How many user names a user may try in an hour: each try tells whether a name is taken.
    public static let usernameTriesMax: Int64 = 20
    /// How long an app session token counts, in seconds.
    public static let appSessionTokenSeconds: Int64 = 300
    /// The largest body of a request for one.
    public static let appSessionBodyBytesMax = 16_384
    /// How long pages of the settings stay open in an app's session, in seconds.
    public static let appPagesSeconds: Int64 = 1_800
}
