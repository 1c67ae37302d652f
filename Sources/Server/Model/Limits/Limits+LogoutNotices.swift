/// The bounds of the queue of logout notices.
extension Limits {
    /// A logout notice is not sent any more after a day: the session at the relying party is over by then, or the
    /// relying party does not answer.
    public static let logoutNoticeSeconds: Int64 = 86_400
    /// Notices that wait for one client: a relying party that is down for a day must not fill the database.
    public static let logoutNoticesOfClientMax = 10_000
    /// How long one delivery of a notice may take, in seconds; afterwards it is sent again. A name is looked up, and five
    /// seconds are the longest answer.
    public static let logoutNoticeLeaseSeconds: Int64 = 20
    /// Logout notices in delivery at the same time, in one process: one without an answer takes five seconds.
    public static let logoutNoticesInFlightMax = 64
    /// A receiver with so many of them under way gets no further one, and at most so many at once: twenty receivers that
    /// do not answer leave room for the others.
    public static let logoutNoticesOfReceiverMax = 2
}
