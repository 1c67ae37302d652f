extension Limits {
    /// How long a token that opens a page signed in counts, in seconds: an app opens it at once.
    public static let preAuthenticatedTokenSeconds: Int64 = 300
    /// How long a web application may then ask for its user without a page, in seconds: it does so while its page loads.
    public static let preAuthenticatedCookieSeconds: Int64 = 300
    /// The most pages that a session may open signed in within an hour: each leaves a mark.
    public static let preAuthenticatedTokensMax: Int64 = 120
    /// The most apps that a session may sign in within an hour: each leaves a row.
    public static let appToAppMax: Int64 = 30
}
