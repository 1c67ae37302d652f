/// Bounds of devices without a keyboard, with their reasons.
extension Limits {
    /// A device's code is good for so long, in seconds: somebody finds a telephone, signs in there and comes back.
    public static let deviceCodeSeconds: Int64 = 900
    /// A device waits so long between two questions, in seconds (RFC 8628 §3.2).
    public static let deviceIntervalSeconds: Int64 = 5
    /// One that asks too early waits so much longer, in seconds (RFC 8628 §3.5).
    public static let deviceSlowDownSeconds: Int64 = 5
    /// Nobody is made to wait for longer than that, in seconds: no device could be let in any more.
    public static let deviceIntervalSecondsMax: Int64 = 120
    /// Whoever did not get the answer to a redemption may ask again for so long, in seconds; and whoever was let in in the
    /// last second may still ask.
    public static let deviceRepeatSeconds: Int64 = 60
    /// A device that asks for so long after its end is told what became of it, in seconds.
    public static let deviceMemorySeconds: Int64 = 3_600
    /// Device codes that one network may ask for within an hour with clients that cannot authenticate: each leaves a row.
    public static let deviceCodesPerNetworkMax: Int64 = 300
    /// Sessions that may come of one device secret within an hour: far more than a vendor has apps.
    public static let derivedSessionsMax: Int64 = 60
    /// Letters of a user code: 34 bits.
    public static let userCodeLetters = 8
    /// A user code as it is typed, with whatever stands between its letters, in bytes.
    public static let userCodeTypedBytesMax = 64
    /// How often another user code is made where one is taken already. With a million of them waiting, one of 25 000 is.
    public static let userCodeTriesToMake = 4
    /// Wrong user codes from one network within an hour, before whoever types signs in first.
    public static let userCodeTriesPerNetworkMax: Int64 = 20
    /// Wrong user codes of all who are not signed in, within an hour. With a thousand devices waiting, one is hit with a
    /// chance of 1 in 25 000; all that comes of it is that the device is offered to whoever guessed, or refused.
    public static let userCodeTriesOfStrangersMax: Int64 = 1_000
    /// Wrong user codes of somebody who is signed in, within an hour.
    public static let userCodeTriesPerUserMax: Int64 = 20
}
