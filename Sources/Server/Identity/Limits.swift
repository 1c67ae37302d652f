/// Every bound of the server in one place: value, unit, reason. Nothing that a stranger sends is unbounded.
public enum Limits {
    // Lifetimes, in seconds.

    /// An authorization code is redeemed at once or never; FAPI 2.0 allows at most 60.
    public static let codeSeconds: Int64 = 60
    /// From the first look at a sign-in page to its end: time for a coffee, not for a lunch break.
    public static let journeySeconds: Int64 = 3_600
    /// A browser session, used or not: two weeks.
    public static let browserSessionSeconds: Int64 = 14 * 86_400
    /// An ID token says who signed in just now; nobody needs it for longer than an hour.
    public static let idTokenSeconds: Int64 = 3_600
    /// A logout token is read at once (Back-Channel Logout §2.4 recommends two minutes).
    public static let logoutTokenSeconds: Int64 = 120
    /// A signing key signs for so long.
    public static let keySigningSeconds: Int64 = 30 * 86_400
    /// The next key is published for so long before it signs, so that every cached key set knows it.
    public static let keyLeadSeconds: Int64 = 2 * 86_400
    /// An audit event is kept for so long: a year covers most obligations to keep them.
    public static let auditSeconds: Int64 = 365 * 86_400
    /// How far the clocks of servers and verifiers may differ.
    public static let clockSkewSeconds: Int64 = 300

    // Sizes of requests, in bytes.

    /// A form of OAuth's endpoints.
    public static let formBytesMax = 32_768
    /// A request line and its query.
    public static let queryBytesMax = 16_384
    /// One `state` or `nonce`: whatever a client needs to find its way back.
    public static let stateBytesMax = 2_048
    /// The `claims` parameter.
    public static let claimsBytesMax = 8_192
    /// A password: far more than anybody types, far less than hurts the hash.
    public static let passwordBytesMax = 1_024
    /// A token presented to us.
    public static let tokenBytesMax = 16_384

    // Counts.

    /// Scope names in one request.
    public static let scopeNamesMax = 64
    /// Resource indicators in one request.
    public static let resourcesMax = 8
    /// Clients in the snapshot of one project.
    public static let clientsMax = 100_000
    /// Server secrets that open what older ones sealed.
    public static let secretsMax = 8
    /// Verified access tokens that are remembered, in each of two generations.
    public static let verifiedTokensMax = 1_024
    /// Audit events waiting to be written; beyond it the oldest are counted and dropped.
    public static let auditBacklogMax = 10_000

    // Passwords.

    /// Checks waiting for a hashing thread; beyond it people are asked to try again.
    public static let hashBacklogMax = 256
    /// How long a check may wait for a thread, in milliseconds, before the person has gone away anyway.
    public static let hashWaitMilliseconds = 10_000

    // Guessing.

    /// Failures on one account from one network before answers get slow.
    public static let attemptsPerAccountAndNetworkMax: Int64 = 10
    /// Failures on one account from networks that never signed in to it (NIST SP 800-63B allows 100).
    public static let attemptsPerAccountMax: Int64 = 100
    /// Failures from one network on any accounts: an office behind one address has typos, not thousands.
    public static let attemptsPerNetworkMax: Int64 = 300
    /// How long a failure is remembered, in seconds.
    public static let attemptWindowSeconds: Int64 = 3_600
    /// The longest wait that guessing earns, in seconds.
    public static let attemptDelayMaxSeconds: Int64 = 900
}
