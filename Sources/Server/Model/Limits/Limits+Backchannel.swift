/// Bounds of sign-ins that are approved on another device (OpenID Connect CIBA), with their reasons. Intervals are those
/// of devices.
extension Limits {
    /// A request is valid for so long unless it says otherwise, in seconds: the user gets a message and signs in.
    public static let backchannelSeconds: Int64 = 300
    /// The shortest and longest `requested_expiry`, in seconds. Other values are brought into this range.
    public static let backchannelSecondsAllowed: ClosedRange<Int64> = 30...900
    /// Characters of a `binding_message`: it must fit on both screens.
    public static let bindingMessageMax = 64
    /// Requests of one client that wait for one user at the same time: more are not shown, so that a user can compare
    /// them.
    public static let backchannelPendingMax: Int64 = 5
    /// Requests of one client to one user within an hour. More are not shown: a user who is asked often enough agrees.
    public static let backchannelRequestsPerUserMax: Int64 = 10
    /// Requests of one client with one hint within an hour, whether there is such a user or not: each leaves a row.
    public static let backchannelRequestsPerHintMax: Int64 = 60
    /// After “This was not me” the client cannot ask this user for so long, in seconds.
    public static let backchannelBlockSeconds: Int64 = 3_600
    /// Characters of a `client_notification_token` (OpenID Connect CIBA Core §7.1).
    public static let notificationTokenMax = 1_024
    /// Notifications in delivery at the same time, in one process: one without an answer takes five seconds.
    public static let pingNoticesInFlightMax = 16
    /// How long one delivery of a notification may take, in seconds; afterwards it is sent again.
    public static let pingNoticeLeaseSeconds: Int64 = 20
    /// Requests of sign-in pages that wait for one user at the same time, of one network: a person signs in at one place at
    /// a time, and a second one for a page that was opened again. Others' networks have ``approvalsPerUserMax``.
    public static let approvalsPendingMax: Int64 = 2
    /// Requests of sign-in pages to one user within an hour. Any stranger can begin one, so there are few: a user who is
    /// asked often enough agrees. More are not shown.
    public static let approvalsPerUserMax: Int64 = 5
    /// Requests of sign-in pages with one typed name within an hour, whether there is such a user or not.
    public static let approvalsPerNameMax: Int64 = 10
    /// Requests of sign-in pages from one network within an hour: each leaves a row.
    public static let approvalsPerNetworkMax: Int64 = 30
    /// Requests that one user is shown at the same time, the oldest first: those of six clients that ask as often as they
    /// may.
    public static let approvalsShownMax = 32
    /// How long a request of a sign-in page may wait, in seconds: the user takes a telephone out. Not longer, so that a
    /// page that was left open does not wait for a user who came back.
    public static let approvalSecondsAllowed: ClosedRange<Int64> = 60...600
}
