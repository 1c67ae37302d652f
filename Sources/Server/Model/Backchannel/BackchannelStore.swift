public import KeyturnBase

/// The result of a user's decision about a request from another device.
public enum BackchannelDecision: Hashable, Sendable {
    case made
    /// The number was wrong: the request is denied.
    case wrongNumber
    /// Decided before, expired, another user's, or unknown; nothing has changed.
    case tooLate
    /// The sign-in that it was made in is over; nothing has changed.
    case signedOut
}

/// Requests for sign-ins on another device. Each decision about a request with a sealed ping queues that in the same
/// transaction: see ``PingNoticeStore``. The store ensures single use, not the caller.
public protocol BackchannelStore: Sendable {
    /// Adds one. If `pendingMax` requests from the same source wait for its user already, it is added without the user:
    /// of the same client, or, on sign-in pages, from the same network. One statement.
    ///
    /// - Returns: whether its user sees it.
    func add(_ request: BackchannelAuthentication, pendingMax: Int64) async throws(StoreError) -> Bool

    /// The requests that wait for a user, the oldest first, at most `limit`.
    func waiting(for user: UserID, limit: Int, at now: UnixTime) async throws(StoreError)
        -> [BackchannelAuthentication]

    /// Allows a request of the grant's user, with a grant that comes alive at the next poll, in one transaction: of any
    /// number of concurrent decisions one is made. The approver's sign-in must be alive. A wrong number denies the request
    /// in the same transaction. Unless the grant outlives sessions (``Grant/isOffline``), it ends with the approver's app.
    func allow(_ id: SecretDigest, number: Int64, _ grant: Grant, by approver: Approver, at now: UnixTime)
        async throws(StoreError) -> BackchannelDecision

    /// Approves a request for a session in another browser, as ``allow(_:number:_:by:at:)`` without a grant: the sign-in
    /// that approves is remembered. One statement, two if it did not succeed.
    func approve(_ id: SecretDigest, number: Int64, by approver: Approver, at now: UnixTime)
        async throws(StoreError) -> BackchannelDecision

    /// What became of a request for a session in another browser. Changes nothing.
    func approval(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> ApprovalAnswer

    /// Spends an approval: of any number of callers one gets it, through one guarded statement, as long as the sign-in
    /// that approved is alive.
    func collectApproval(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> ApprovalAnswer

    /// Whether the sign-in that approved a request is alive, also after the result was collected. Changes nothing.
    func isApproverAlive(_ id: SecretDigest, at now: UnixTime) async throws(StoreError) -> Bool

    /// Denies a request of a user. One statement.
    ///
    /// - Parameter withOthers: all others that wait for the user as well: those of the same client, or those of all
    ///   sign-in pages.
    func deny(_ id: SecretDigest, of user: UserID, withOthers: Bool, at now: UnixTime) async throws(StoreError)
        -> BackchannelDecision

    /// Answers a poll, as ``DeviceStore/poll(_:idleSeconds:at:)``.
    func poll(_ poll: DevicePoll, idleSeconds: Int64, at now: UnixTime) async throws(StoreError) -> DeviceAnswer
}
