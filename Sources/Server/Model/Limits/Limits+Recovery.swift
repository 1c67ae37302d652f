/// The bounds of removing a lost second factor.
extension Limits {
    /// How long the owner has to cancel a recovery, in seconds, by default: a weekend and a night.
    public static let recoveryDelaySeconds: Int64 = 72 * 3_600
    /// The delay that an operator may choose, in seconds: from an hour to 30 days.
    public static let recoveryDelayRange: ClosedRange<Int64> = 3_600...(30 * 86_400)
    /// How long a recovery can be finished once it is ready, in seconds: a week. Then it must be begun again.
    public static let recoveryOpenSeconds: Int64 = 7 * 86_400
    /// After a cancelled recovery none begins for so long, in seconds: a day, in which the password can be changed.
    public static let recoveryPauseSeconds: Int64 = 86_400
    /// Recoveries of one user that begin within ``recoveryWindowSeconds``: each sends messages to every address.
    public static let recoveriesMax: Int64 = 3
    /// A week.
    public static let recoveryWindowSeconds: Int64 = 7 * 86_400
    /// An address that was added, and a password that was reset by a message alone, do not count for a recovery for so
    /// long, in seconds: 30 days. Otherwise a thief with one of the two could get the other.
    public static let recoveryProofAgeSeconds: Int64 = 30 * 86_400
    /// Addresses that are offered for the code of a recovery.
    public static let recoveryAddressesMax = 5
}
