/// Bounds of devices without a keyboard, with their reasons.
extension Limits {
    /// A device's code is valid for so long, in seconds: the user finds a telephone, signs in there and comes back.
    public static let deviceCodeSeconds: Int64 = 900
    /// The interval between two polls of a device, in seconds (RFC 8628 §3.2).
    public static let deviceIntervalSeconds: Int64 = 5
    /// The interval grows by so much after a poll that comes too early, in seconds (RFC 8628 §3.5).
    public static let deviceSlowDownSeconds: Int64 = 5
    /// The longest interval, in seconds: with a longer one no device could get its token in time.
    public static let deviceIntervalSecondsMax: Int64 = 120
    /// A client that did not get the answer to a redemption may repeat it for so long, in seconds; and a device that
    /// was allowed in the last second may still poll.
    public static let deviceRepeatSeconds: Int64 = 60
    /// A device code or `auth_req_id` as it is presented, in bytes: ours have 43.
    public static let awaitedCodeBytesMax = 256
    /// A device that polls within so long after its end gets the reason, in seconds.
    public static let deviceMemorySeconds: Int64 = 3_600
    /// Device codes that one network may ask for within an hour with clients that cannot authenticate: each leaves a
    /// row.
    public static let deviceCodesPerNetworkMax: Int64 = 300
    /// Sessions derived from one device secret within an hour: far more than a vendor has apps.
    public static let derivedSessionsMax: Int64 = 60
    /// Letters of a user code: 34 bits.
    public static let userCodeLetters = 8
    /// A user code as it is typed, with its separators, in bytes.
    public static let userCodeTypedBytesMax = 64
    /// How often another user code is made if one is taken. With a million of them waiting, one of 25 000 is.
    public static let userCodeTriesToMake = 4
    /// Wrong user codes from one network within an hour, before the user must sign in first.
    public static let userCodeTriesPerNetworkMax: Int64 = 20
    /// Wrong user codes of all clients without a session, within an hour. With a thousand devices waiting, one is hit
    /// with a chance of 1 in 25 000; the attacker can then only allow that device, or deny it.
    public static let userCodeTriesOfStrangersMax: Int64 = 1_000
    /// Wrong user codes of a signed-in user, within an hour.
    public static let userCodeTriesPerUserMax: Int64 = 20
}
