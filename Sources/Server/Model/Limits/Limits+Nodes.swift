/// Servers that share a database.
extension Limits {
    /// The database may be away for so long before a server says that it is not ready, in seconds: a failover takes less.
    public static let databaseAwaySeconds: Int64 = 60
    /// A server whose clock differs from the database's by more is not ready, in seconds.
    public static let clockDifferenceMax: Int64 = 30
    /// A redemption that waited for the database for longer may have been given up by its client, who asks again.
    public static let redemptionWaitMax = Duration.seconds(2)
    /// By more than that the difference is worth a warning, in seconds.
    public static let clockDifferenceNoted: Int64 = 2
}
