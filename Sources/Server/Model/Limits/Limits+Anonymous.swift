/// Bounds of anonymous users.
extension Limits {
    /// Anonymous users that one network makes within ``anonymousWindowSeconds``: a few devices behind one address.
    public static let anonymousSignUpsOfNetworkMax: Int64 = 60
    /// Anonymous users that one connection to the Internet makes within the same time: an IPv6 connection has many
    /// networks.
    public static let anonymousSignUpsOfSiteMax: Int64 = 300
    /// Sign-ins with one key within the same time: each leaves a row, and sessions are renewed without one.
    public static let anonymousSignInsMax: Int64 = 60
    /// An hour, in seconds.
    public static let anonymousWindowSeconds: Int64 = 3_600
    /// A promotion code is used within so many seconds: the app opens the browser at once.
    public static let promotionCodeSeconds: Int64 = 300
    /// A request body of the interface without keys, in bytes.
    public static let anonymousBodyBytesMax = 16_384
    /// Anonymous users that one transaction of the clean-up looks at.
    public static let anonymousRemovalBatch = 500
    /// Transactions of one round of the clean-up: the rest waits for the next round, a minute later.
    public static let anonymousRemovalBatchesMax = 4
    /// Days without a session after which an anonymous user is removed, unless the operator says otherwise.
    public static let anonymousPurgeDays = 90
    /// The most that the operator may say, in days.
    public static let anonymousPurgeDaysMax = 3_650
}
