/// Bounds of sign-ins that are approved on another device (OpenID Connect CIBA), with their reasons. Intervals are those
/// of devices.
extension Limits {
    /// A request is valid for so long unless it says otherwise, in seconds: the user gets a message and signs in.
    public static let backchannelSeconds: Int64 = 300
    /// The shortest and longest `requested_expiry`, in seconds. Other values are brought into this range.
    public static let backchannelSecondsAllowed: ClosedRange<Int64> = 30...900
    /// Characters of a `binding_message`: it must fit on both screens.
    public static let bindingMessageMax = 64
    /// Requests that wait for one user at the same time: more are not shown, so that a user can compare them.
    public static let backchannelPendingMax: Int64 = 5
    /// Requests of one client to one user within an hour. More are not shown: a user who is asked often enough agrees.
    public static let backchannelRequestsPerUserMax: Int64 = 10
    /// Requests of one client with one hint within an hour, whether there is such a user or not: each leaves a row.
    public static let backchannelRequestsPerHintMax: Int64 = 60
    /// After “This was not me” the client cannot ask this user for so long, in seconds.
    public static let backchannelBlockSeconds: Int64 = 3_600
}
